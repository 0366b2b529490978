"""Check code and program take turns: which runs when, on what, and what follows where one does not answer."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

import pytest

from rlpt.errors import UserError
from rlpt.records import Task
from rlpt.sandbox.process import process_sandbox
from rlpt.sandbox.protocol import Call, Calls, Execution, Limits
from rlpt.sandbox.session import WarmSession
from rlpt.sandbox.warm import WarmSandbox
from rlpt.verifiers.unit_tests import UnitTestsVerifier


class Recorded:
    """A sandbox that notes what it runs, whose programs may have less time, and that may answer for the check code."""

    def __init__(self, sandbox: WarmSandbox, wall_s: float | None = None) -> None:
        self.sandbox = sandbox
        self.limits = sandbox.limits
        self.limits_of_program = replace(sandbox.limits, wall_s=wall_s or sandbox.limits.wall_s)
        self.programs: list[tuple[str, Calls]] = []
        self.runs: list[str] = []
        """`program` where the program ran, `check` where the check did."""
        self.answer: Execution | None = None

    def run_sync(self, program: str, calls: Calls, limits: Limits) -> Execution:
        assert limits.wall_s <= self.limits.wall_s
        self.programs.append((program, calls))
        self.runs.append("program")
        return self.sandbox.run_sync(program, calls=calls, limits=self.limits_of_program)

    def session(self) -> RecordedSession:
        return RecordedSession(self)


class RecordedSession(WarmSession):
    """Of a recorded sandbox."""

    def __init__(self, recorded: Recorded) -> None:
        super().__init__(recorded.sandbox)
        self.recorded = recorded

    def run_sync(self, code: str, files: Mapping[str, bytes] | None = None, **options: bool) -> Execution:
        if not files:
            return super().run_sync(code, **options)
        self.recorded.runs.append("check")
        (question,) = files.values()
        if self.recorded.answer is not None and json.loads(question)["known"]:
            return self.recorded.answer
        return super().run_sync(code, files, **options)


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
    assert len(recorded.programs) == 1
    assert all(
        "987654321" not in f"{program}{calls}" and "assert" not in f"{calls}" for program, calls in recorded.programs
    )


def test_the_calls_of_a_reference_are_found_once(sandbox: WarmSandbox) -> None:
    recorded = Recorded(sandbox)
    verifier = UnitTestsVerifier(recorded)
    for _ in range(3):
        verifier.verify(EVEN, fenced("def evens(n): return list(range(0, n, 2))"))
        verifier.verify(EVEN, fenced("def evens(n): return 0"))
    assert recorded.runs == ["check", *["program", "check"] * 6]


def test_a_call_on_a_result_takes_one_run_more_for_all_of_them(sandbox: WarmSandbox) -> None:
    recorded = Recorded(sandbox)
    UnitTestsVerifier(recorded).verify(FLIP, fenced("def flip(text): return text[::-1]"))
    assert recorded.runs.count("program") == 3  # as deep as they are nested


def test_the_messages_of_asserts_take_no_run(sandbox: WarmSandbox) -> None:
    recorded = Recorded(sandbox)
    UnitTestsVerifier(recorded).verify(MEAN, fenced("def mean(numbers): return 7"))
    assert recorded.runs == ["program", "check"]


def test_a_condition_of_several_calls_takes_one_run(sandbox: WarmSandbox) -> None:
    recorded = Recorded(sandbox)
    check = "def check(candidate):\n    assert tuple(candidate([1])) == tuple(f([1])) and candidate(2) == 2 == f(2)"
    assert UnitTestsVerifier(recorded).verify(task("f", check), fenced("def f(x): return x")).reward == 1.0
    assert recorded.runs == ["program", "check"]


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
        Execution("crash"),
        Execution("infra_error", detail="gone"),
        Execution("ok", stdout=b"passed"),
        Execution("ok", stdout=b'"passed"'),
        Execution("ok", stdout=b'["passed", "", null]'),
        Execution("ok", stdout=b'["passed", "", [1]]'),
        Execution("ok", stdout=b'["right", "", []]'),
        Execution("ok", stdout=b'["passed", "", []]["passed", "", []]'),
        Execution("crash", stdout=b'["passed", "", []]'),
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


@pytest.mark.parametrize(
    "body",
    [
        "    import os\n    os.mkdir('folder')\n    assert candidate(1) == 2",
        "    open('log', 'x').close()\n    assert candidate(1) == 2",
        "    import subprocess, os\n    assert not os.path.exists('/tmp/alive')\n"
        "    subprocess.Popen(['sh', '-c', 'sleep 0.1; echo > /tmp/alive']) if os.path.exists('/bin/sh') else 0\n"
        "    assert candidate(1) == 2",
        "    import string\n    assert string.digits\n    string.digits = ''\n    assert candidate(1) == 2",
    ],
)
def test_nothing_of_a_check_is_there_for_the_next(verifier: UnitTestsVerifier, body: str) -> None:
    for _ in range(3):
        assert (
            verifier.verify(task("f", f"def check(candidate):\n{body}"), fenced("def f(x): return x + 1")).reward == 1.0
        )


def test_what_a_check_draws_is_not_known_to_the_program(verifier: UnitTestsVerifier) -> None:
    check = (
        "import random\ndef check(candidate):\n    for _ in range(20):\n        n = random.randrange(10**6)\n"
        "        assert candidate(n) == n + 1"
    )
    assert verifier.verify(task("f", check), fenced("def f(x): return x + 1")).reward == 1.0
    for seed in ("0", "None", "''"):
        knows = f"import random\nrandom.seed({seed})\nn = [random.randrange(10**6) for _ in range(20)]\ndef f(x):\n"
        assert verifier.verify(task("f", check), fenced(f"{knows}    return n.pop(0) + 1")).reward == 0.0


@pytest.mark.parametrize("body", ["assert eval(candidate(1)) == 2", "exec(candidate(1))"])
def test_a_check_that_evaluates_results_is_refused(verifier: UnitTestsVerifier, body: str) -> None:
    with pytest.raises(UserError, match="calls eval or exec"):
        verifier.check_reference({"entry_point": "f", "check": f"def check(candidate):\n    {body}"})


def test_all_runs_of_a_program_share_its_time(sandbox: WarmSandbox) -> None:
    """However often the check asks."""
    quick = Recorded(sandbox, wall_s=8.0)
    quick.limits = replace(sandbox.limits, wall_s=1.5)
    check = "def check(candidate):\n    assert candidate(candidate(1)) == 5"
    program = "import random, time\ndef f(x):\n    time.sleep(0.5)\n    return random.random()"
    verdict = UnitTestsVerifier(quick).verify(task("f", check), fenced(program))
    assert (verdict.reward, verdict.status) == (0.0, "timeout"), verdict
    assert quick.runs.count("program") <= 4


def test_where_checks_were_no_program_comes(sandbox: WarmSandbox) -> None:
    """A program may look through its own memory, which is a copy of the supervisor's."""
    secret = "71271 * 3 + 9"
    endless = f"def check(candidate):\n    assert candidate(1) != {secret}\n    while candidate(2): pass"
    quick = Recorded(sandbox)
    search = (
        "def f(x):\n    found = 0\n    with open('/proc/self/mem', 'rb', 0) as memory:\n"
        "        for line in open('/proc/self/maps'):\n"
        "            start, end = (int(n, 16) for n in line.split()[0].split('-'))\n"
        "            try:\n                memory.seek(start)\n"
        "                found += memory.read(end - start)[::-1].count(b'3 * 17217')\n"
        "            except (OSError, ValueError, OverflowError): pass\n    return found"
    )
    for body in (f"def check(candidate):\n    assert candidate(1) != {secret}", endless):
        UnitTestsVerifier(quick).verify(task("f", body), fenced("def f(x): return 1"))
    found = sandbox.run_sync(search, calls=Calls("f", [Call([1])]))
    assert found.results[0].value == 0, found
    session = sandbox.session()
    session.run_sync(f"x = '{secret}'", files={"a": secret.encode()})
    assert session.files()["a"] == secret.encode()
    session.close()
    found = sandbox.run_sync(search, calls=Calls("f", [Call([1])]))
    assert found.results[0].value == 0, found
