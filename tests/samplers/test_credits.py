"""The token at which a reward for a part of a rollout is earned."""

from __future__ import annotations

import pytest

from rlpt.records import Credit, Rollout, Verdict
from rlpt.samplers.credits import located

WORDS = ["The ", "answer", " is", " 5", ".", "", "tool", "tool", "So ", "5", ""]
"""The texts of tokens; the empty ones end a turn."""
MASK = [1, 1, 1, 1, 1, 1, 0, 0, 1, 1, 1]
ROLLOUT = Rollout("t", "g", 0, [1], list(range(11)), [-1.0] * 11, MASK, [0] * 11, "stop", "So 5")


def decode(ids: list[int]) -> str:
    return "".join(WORDS[token] for token in ids)


@pytest.mark.parametrize(
    ("turn", "end", "token"),
    [(0, None, 5), (0, 1, 0), (0, 4, 0), (0, 5, 1), (0, 13, 2), (0, 16, 4), (1, None, 8), (1, 3, 6), (1, 4, 7)],
)
def test_a_credit_is_earned_with_the_last_token_of_its_part(turn: int, end: int | None, token: int) -> None:
    verdict = Verdict(1.0, "correct", credits=[Credit(turn, 0.5, end)])
    assert located(verdict, ROLLOUT, decode).credits == (Credit(turn, 0.5, end, token),)


@pytest.mark.parametrize(("text", "end", "token"), [("a😀b", 1, 0), ("a😀b", 2, 4), ("a😀b", 3, 5), ("日本", 1, 2)])
def test_a_character_of_several_tokens_is_written_with_its_last(text: str, end: int, token: int) -> None:
    ids = list(text.encode())
    rollout = Rollout("t", "g", 0, [1], ids, [-1.0] * len(ids), [1] * len(ids), [0] * len(ids), "stop", text)
    verdict = Verdict(1.0, "correct", credits=[Credit(0, 0.5, end)])
    (credit,) = located(verdict, rollout, lambda some: bytes(some).decode(errors="replace")).credits
    assert credit.token == token


def test_a_rollout_without_tokens_earns_nothing_for_its_parts() -> None:
    nothing = Rollout("t", "g", 0, [1], [], [], [], [], "stop", "")
    assert located(Verdict(1.0, "correct", credits=[Credit(0, 0.5)]), nothing, decode).credits == ()
