"""Check code and program take turns: which runs when, on what, and what follows where one does not answer."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

import pytest

from rlpt.errors import UserError
from rlpt.records import Task
from rlpt.sandbox.process import process_sandbox
from rlpt.sandbox.protocol import CallResult, Calls, Execution, Limits
from rlpt.sandbox.warm import WarmSandbox
from rlpt.verifiers.unit_tests import UnitTestsVerifier


class Recorded:
    """A sandbox that notes what it runs, whose programs may have less time, and that may answer for the check code."""

    def __init__(self, sandbox: WarmSandbox, wall_s: float | None = None) -> None:
        self.sandbox = sandbox
        self.limits = sandbox.limits
        self.limits_of_program = replace(sandbox.limits, wall_s=wall_s or sandbox.limits.wall_s)
        self.runs: list[tuple[str, Calls]] = []
        self.answer: Execution | None = None

    def run_sync(self, program: str, calls: Calls, files: Mapping[str, bytes] | None = None) -> Execution:
        self.runs.append((program, calls))
        if calls.entry_point == "call":
            return self.sandbox.run_sync(program, calls=calls, limits=self.limits_of_program)
        knows_results = bool(calls.calls[0].args[-1])
        if self.answer is not None and knows_results:
            return self.answer
        return self.sandbox.run_sync(program, files=files, calls=calls)

    def entry_points(self) -> list[str]:
        """`call` where the program ran, `run_check` where the check did."""
        return [calls.entry_point for _, calls in self.runs]


@pytest.fixture(scope="module")
def sandbox(need: Callable[[str | None], None]) -> Iterator[WarmSandbox]:
    try:
        sandbox = process_sandbox(Limits(wall_s=8.0), concurrency=1)
    except UserError as error:
        need(str(error))
        raise
    yield sandbox
    sandbox.close()


@pytest.fixture(scope="module")
def verifier(sandbox: WarmSandbox) -> UnitTestsVerifier:
    return UnitTestsVerifier(sandbox)


def task(entry_point: str, check: str) -> Task:
    return Task("code", "1", [], {"entry_point": entry_point, "check": check})


def fenced(program: str) -> str:
    return f"```python\n{program}\n```"


ANSWER = task("answer", "def check(candidate):\n    assert candidate(4) == 987654321\n    assert candidate('x') == 5")
EVEN = task("evens", "def check(candidate):\n    for n in range(20):\n        assert len(candidate(n)) == (n + 1) // 2")
FLIP = task(
    "flip",
    "def check(candidate):\n"
    "    for text in ('ab', '', 'xyz'):\n"
    "        assert candidate(candidate(text)) == text\n"
    "        assert candidate(candidate(candidate(text))) == text[::-1]\n"
    "    assert tuple(candidate('abc')) == tuple(flip('abc'))",
)
MEAN = task("mean", "def check(candidate):\n    assert candidate([1]) == 1, str(candidate([]))")


def test_what_the_check_holds_is_never_near_the_program(sandbox: WarmSandbox) -> None:
    recorded = Recorded(sandbox)
    right = fenced("def answer(x): return 987654320 + 1 if x == 4 else 5")
    assert UnitTestsVerifier(recorded).verify(ANSWER, right).reward == 1.0
    of_program = [(text, calls) for text, calls in recorded.runs if "987654320" in text]
    assert [calls.entry_point for _, calls in of_program] == ["call"]
    assert all("987654321" not in text + repr(calls) and "assert candidate" not in text for text, calls in of_program)


def test_the_calls_of_a_reference_are_found_once(sandbox: WarmSandbox) -> None:
    recorded = Recorded(sandbox)
    verifier = UnitTestsVerifier(recorded)
    for _ in range(3):
        verifier.verify(EVEN, fenced("def evens(n): return list(range(0, n, 2))"))
        verifier.verify(EVEN, fenced("def evens(n): return 0"))
    assert recorded.entry_points() == ["run_check", *["call", "run_check"] * 6]


def test_a_call_on_a_result_takes_one_run_more_for_all_of_them(sandbox: WarmSandbox) -> None:
    recorded = Recorded(sandbox)
    UnitTestsVerifier(recorded).verify(FLIP, fenced("def flip(text): return text[::-1]"))
    assert recorded.entry_points().count("call") == 3  # as deep as they are nested


def test_the_messages_of_asserts_take_no_run(sandbox: WarmSandbox) -> None:
    recorded = Recorded(sandbox)
    UnitTestsVerifier(recorded).verify(MEAN, fenced("def mean(numbers): return 7"))
    assert recorded.entry_points() == ["run_check", "call", "run_check"]


def test_a_condition_of_several_calls_takes_one_run(sandbox: WarmSandbox) -> None:
    recorded = Recorded(sandbox)
    check = "def check(candidate):\n    assert tuple(candidate([1])) == tuple(f([1])) and candidate(2) == 2 == f(2)"
    assert UnitTestsVerifier(recorded).verify(task("f", check), fenced("def f(x): return x")).reward == 1.0
    assert recorded.entry_points() == ["run_check", "call", "run_check"]


@pytest.mark.parametrize(
    ("program", "status"),
    [
        ("def answer(x):\n    while True: pass", "timeout"),
        ("def answer(x): return bytearray(10**10)", "out_of_memory"),
        ("def answer(x): print('x' * 10**7)", "output_limit"),
        ("import nothing\ndef answer(x): return 5", "crash"),
        ("def answer(x): return 5\nreturn", "crash"),
    ],
)
def test_the_status_tells_the_limit(sandbox: WarmSandbox, program: str, status: str) -> None:
    recorded = Recorded(sandbox, wall_s=1.0 if status == "timeout" else None)
    verdict = UnitTestsVerifier(recorded).verify(ANSWER, fenced(program))
    assert (verdict.reward, verdict.status) == (0.0, status), verdict
    assert verdict.parts == {"format": 1.0, "tests": 0.0}


@pytest.mark.parametrize(
    ("check", "detail"),
    [
        ("x = 0\n    for _ in range(100):\n        x = candidate(x)", "each of 32 runs"),
        ("while candidate(len(seen)): seen.append(0)", "more calls of f than can be made"),
        ("candidate(1)\n    candidate(lambda: 0)", "more calls of f than can be made"),
    ],
)
def test_checks_that_cannot_be_followed_are_not_passed(verifier: UnitTestsVerifier, check: str, detail: str) -> None:
    endless = task("f", f"seen = []\ndef check(candidate):\n    {check}")
    verdict = verifier.verify(endless, fenced("def f(x): return x + 1 if x is not f else 0"))
    assert (verdict.reward, verdict.status) == (0.0, "wrong"), verdict
    assert detail in verdict.detail


@pytest.mark.parametrize(
    "check",
    [
        "if candidate(1) == 5: candidate(2)\n    assert candidate(3) == 3",  # not every call foreseen is made
        "i = 0\n    while i < 9: i += candidate(3)\n    assert candidate(i) == 9",
        "step, i = candidate(3), 0\n    while i < 9: i += step\n    assert candidate(i) == 9",  # does not end by itself
    ],
)
def test_results_lead_the_check(verifier: UnitTestsVerifier, check: str) -> None:
    problem = task("f", f"def check(candidate):\n    {check}")
    assert verifier.verify(problem, fenced("def f(x): return x")).reward == 1.0
    assert verifier.verify(problem, fenced("def f(x): return x * 2")).reward == 0.0


def test_state_between_calls_is_kept_in_order(verifier: UnitTestsVerifier) -> None:
    check = "def check(candidate):\n    assert candidate(candidate(1)) == 3\n    assert candidate(0) == 3"
    counter = fenced("total = 0\ndef add(n):\n    global total\n    total += n\n    return total + (n == 1)")
    assert verifier.verify(task("add", check), counter).reward == 1.0


@pytest.mark.parametrize(
    "answer",
    [
        Execution("ok"),
        Execution("crash", exit_code=1),
        Execution("infra_error", detail="gone"),
        Execution("ok", results=(CallResult(True, "passed"),)),
        Execution("ok", results=(CallResult(True, ["passed", "", None]),)),
        Execution("ok", results=(CallResult(True, ["passed", "", [1]]),)),
        Execution("ok", results=(CallResult(True, ["right", "", []]),)),
        Execution("ok", results=(CallResult(False, error="ValueError"),)),
        Execution("crash", results=(CallResult(True, ["passed", "", []]),)),
        Execution("ok", results=(CallResult(True, ["passed", "", []]), CallResult(True, ["passed", "", []]))),
    ],
)
def test_no_answer_of_the_check_is_no_reward(sandbox: WarmSandbox, answer: Execution) -> None:
    recorded = Recorded(sandbox)
    recorded.answer = answer
    verdict = UnitTestsVerifier(recorded).verify(ANSWER, fenced("def answer(x): return 0"))
    assert (verdict.reward, verdict.status) == (None, "infra_error"), verdict
    assert verdict.detail


def test_a_check_that_meets_a_limit_pays_nothing(verifier: UnitTestsVerifier) -> None:
    check = "def check(candidate):\n    assert len('x' * candidate(1)) == 10 ** 10"
    verdict = verifier.verify(task("f", check), fenced("def f(x): return 10 ** 10"))
    assert (verdict.reward, verdict.status) == (0.0, "out_of_memory"), verdict
    assert "the check" in verdict.detail
