"""Judging twice and checking references, in the real pool."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from rlpt.audit.cases import Case
from rlpt.audit.outcomes import judge_twice
from rlpt.audit.references import TARGET, check_references
from rlpt.errors import UserError
from rlpt.records import Task, Verdict
from rlpt.verifiers.pool import VerifierPool

HOSTILE = Path(__file__).parent.parent / "verifiers" / "hostile"

OWN = """
import time
from rlpt.errors import UserError
from rlpt.records import Verdict

class Picky:
    closed = None

    def __init__(self, marker=""):
        self.marker = marker

    def verify(self, task, completion):
        return Verdict(1.0, "correct", "", {"format": 1.0})

    def check_reference(self, reference):
        if reference["answer"] == "bad":
            raise UserError("picky: the answer\\nis \\x1b[31mbad.")
        if reference["answer"] == "broken":
            raise KeyError("entry")
        if reference["answer"] == "hang":
            time.sleep(3600)

    def close(self):
        if self.marker:
            open(self.marker, "w").close()
"""


def case(line: int, answer: str) -> Case:
    return Case(f"case {line}", line, {"answer": answer}, "x", True)


def look_at(cases: Sequence[Case], **verifier: object) -> None:
    with VerifierPool({"own": {"_target_": TARGET, "verifier": verifier}}, workers=1, timeout_s=1.0) as pool:
        check_references("cases.jsonl", cases, "own", pool)


@pytest.fixture(autouse=True)
def _importable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "own_verifiers.py").write_text(OWN)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.syspath_prepend(str(HOSTILE))


def items(*completions: str) -> list[tuple[Task, str]]:
    return [(Task("obedient", str(n), [], {}), completion) for n, completion in enumerate(completions)]


def test_seconds_are_those_of_the_verdict_alone() -> None:
    with VerifierPool({"obedient": {"_target_": "hostile_verifiers.Obedient"}}, workers=1, timeout_s=1.0) as pool:
        pool.check()
        timed = pool.score_timed(items("right", "sleep", "right", "explode"))
    assert [verdict.status for verdict, _ in timed] == ["correct", "infra_error", "correct", "infra_error"]
    # Both tries of what hung, 1 s and a quarter of it; not the wait behind it, and not the start of another worker.
    assert 1.2 < timed[1][1] < 2.5
    assert all(0.0 < seconds < 0.5 for _, seconds in (timed[0], timed[2], timed[3]))


def test_the_second_time_is_in_another_order_and_filed_in_the_first() -> None:
    class Numbering:
        """Says of each completion when it was asked for."""

        def __init__(self) -> None:
            self.asked: list[list[str]] = []

        def score_timed(self, some: Sequence[tuple[Task, str]]) -> list[tuple[Verdict, float]]:
            self.asked.append([completion for _, completion in some])
            return [(Verdict(1.0, "correct", f"{len(self.asked)} {completion}"), 1.0) for _, completion in some]

    completions = [str(n) for n in range(50)]
    pools = Numbering(), Numbering()
    judged = [judge_twice(items(*completions), pool, seed=3) for pool in pools]
    assert judged[0] == judged[1]
    assert pools[0].asked == pools[1].asked
    first, second = pools[0].asked
    assert first == completions != second
    assert sorted(second) == sorted(completions)
    assert [one.verdict.detail for one in judged[0]] == [f"1 {completion}" for completion in completions]
    assert [one.again.detail for one in judged[0]] == [f"2 {completion}" for completion in completions]


def test_references_that_a_verifier_takes() -> None:
    look_at([case(1, "good"), case(2, "good")], _target_="own_verifiers.Picky")


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("bad", r"cases.jsonl, line 4: picky: the answer is \x1b[31mbad."),
        ("broken", "cases.jsonl, line 4: the reference cannot be checked: KeyError: 'entry'"),
        ("hang", "cases.jsonl, line 4: the reference cannot be checked: no verdict within "),
    ],
)
def test_the_first_reference_that_is_refused_is_named(answer: str, expected: str) -> None:
    with pytest.raises(UserError) as caught:
        look_at([case(1, "good"), case(4, answer), case(5, "bad")], _target_="own_verifiers.Picky")
    assert str(caught.value).startswith(expected)


def test_a_verifier_that_checks_no_references_takes_all() -> None:
    look_at([case(1, "bad")], _target_="hostile_verifiers.Obedient")


def test_what_the_verifier_holds_is_released(tmp_path: Path) -> None:
    marker = tmp_path / "closed"
    look_at([case(1, "good")], _target_="own_verifiers.Picky", marker=str(marker))
    assert marker.exists()


def test_a_verifier_that_cannot_be_built_says_why() -> None:
    with pytest.raises(UserError, match=r"A verifier cannot be built: own: exact: source must be one of"):
        look_at([case(1, "5")], _target_="rlpt.verifiers.exact.ExactVerifier", source="nowhere")
