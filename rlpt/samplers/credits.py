"""Where in a rollout a reward for a part of it is earned: from characters of a turn to an action token."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from rlpt.records import Credit, Rollout, Verdict
from rlpt.samplers.trail import Decode


def located(verdict: Verdict, rollout: Rollout, decode: Decode) -> Verdict:
    """The verdict with the token of each credit. `decode`: a turn's token ids to the text that the verifier saw."""
    if not verdict.credits:
        return verdict
    turns = _turns(rollout)
    # A rollout without any token has no place for a reward.
    there = [credit for credit in verdict.credits if credit.turn < len(turns)]
    return replace(verdict, credits=tuple(_located(credit, rollout, turns, decode) for credit in there))


def _located(credit: Credit, rollout: Rollout, turns: Sequence[range], decode: Decode) -> Credit:
    turn = turns[credit.turn]
    before = sum(len(one) for one in turns[: credit.turn])
    ids = [rollout.token_ids[place] for place in turn]
    taken = len(ids) if credit.end is None else _tokens_up_to(credit.end, ids, decode)
    return replace(credit, token=before + taken - 1)


def _tokens_up_to(end: int, ids: Sequence[int], decode: Decode) -> int:
    """How many tokens it takes to have written `end` characters."""
    wanted = decode(ids)[:end]
    low, high = 1, len(ids)
    while low < high:
        middle = (low + high) // 2
        # Lengths would not do: a character of which some bytes are missing is decoded to another one.
        low, high = (low, middle) if decode(ids[:middle]).startswith(wanted) else (middle + 1, high)
    return low


def _turns(rollout: Rollout) -> list[range]:
    """The places of each turn of the policy among the rollout's tokens; a tool's words stand between two."""
    turns: list[range] = []
    start = None
    for place, action in enumerate([*rollout.action_mask, 0]):
        if action and start is None:
            start = place
        if not action and start is not None:
            turns.append(range(start, place))
            start = None
    return turns
