"""Which verdicts signs of cheating change, with real runs: `suspicious` in place of `wrong` and `crash` alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from rlpt.errors import UserError
from rlpt.records import Task, Verdict
from rlpt.sandbox.process import process_sandbox
from rlpt.sandbox.protocol import Limits
from rlpt.verifiers.suspicion import suspected
from rlpt.verifiers.unit_tests import UnitTestsVerifier
from tests.sandbox.hostile_programs import BREAKOUTS, EXITS, FORGERIES, OBJECTS, PATCHES, SEARCHES, TASK

CALLS = Task("code", "1", [], {"entry_point": "f", "calls": [{"args": [n], "expected": n + 7} for n in (1, 2, 3)]})
CHECK = Task(
    "code", "2", [], {"entry_point": "f", "check": "def check(c):\n    for n in (1, 2, 3): assert c(n) == n + 7"}
)
CASES = Task("code", "3", [], {"stdin_cases": [{"stdin": "1", "stdout": "8"}, {"stdin": "2", "stdout": "9"}]})
BOTH = pytest.mark.parametrize("task", [CALLS, CHECK], ids=["calls", "check"])

ORDINARY = {
    "exit in the function",
    "SystemExit with a text",
    "an exception that is no Exception",
    "KeyboardInterrupt",
    "the word passed",
    "a way out by sockets",
    "a maze left behind",
    *(name for name in OBJECTS if not name.startswith(("always equal", "a class that lies"))),
}
"""Hostile programs that do nothing that no honest program does: they raise, print, or return a wrong value."""


@pytest.fixture(scope="module")
def verifier(need: Callable[[str | None], None]) -> Iterator[UnitTestsVerifier]:
    try:
        verifier = UnitTestsVerifier(process_sandbox(Limits(wall_s=8.0), concurrency=1))
    except UserError as error:
        need(str(error))
        raise
    yield verifier
    verifier.close()


def fenced(program: str) -> str:
    return f"```python\n{program}\n```"


@pytest.mark.parametrize("name", EXITS | OBJECTS | PATCHES | SEARCHES | FORGERIES | BREAKOUTS)
def test_hostile_programs(verifier: UnitTestsVerifier, name: str) -> None:
    programs = EXITS | OBJECTS | PATCHES | SEARCHES | FORGERIES | BREAKOUTS
    verdict = verifier.verify(TASK, fenced(programs[name]))
    assert verdict.reward == 0.0
    if name in ORDINARY:
        assert verdict.status != "suspicious", verdict
    else:
        assert verdict.status in ("suspicious", "timeout", "out_of_memory", "output_limit"), verdict


@BOTH
@pytest.mark.parametrize(
    ("program", "status", "words"),
    [
        ("def f(n): return n", "wrong", ""),
        ("import os\ndef f(n): os._exit(0)", "suspicious", "(os._exit) in line 2; it ended before call 1 of 3"),
        ("import os\ndef f(n): return n + 7 if n < 3 else os._exit(0)", "suspicious", "inside a call"),
        ("m = __import__(chr(111) + 's')\ndef f(n): getattr(m, '_ex%st' % 'i')(0)", "suspicious", "inside a call"),
        ("def f(n): return n\nimport sys\nsys.exit(0)", "wrong", "ended before call 1"),
        ("import os\nos.abort()\ndef f(n): return n", "suspicious", "crashes the process (os.abort) in line 2"),
        ("def f(n): return nothing\nopen('conftest.py', 'w').close()\n1 / 0", "suspicious", "ZeroDivisionError"),
        ("import os\ndef f(n):\n    while True: os.write(3, b'x' * 1000)", "output_limit", ""),
        ("import gc\ndef f(n): return bytearray(10**10) if gc.get_objects() else 0", "out_of_memory", ""),
        ("class E:\n    def __eq__(s, o): return s is not o\ndef f(n): return E()", "suspicious", "equals everything"),
        ("import sys, time\ntime.time = print\ndef g(n): return n + 7", "suspicious", "does not define f"),
    ],
)  # fmt: skip
def test_programs_that_do_not_pass(
    verifier: UnitTestsVerifier, task: Task, program: str, status: str, words: str
) -> None:
    verdict = verifier.verify(task, fenced(program))
    assert (verdict.reward, verdict.status) == (0.0, status), verdict
    assert words in verdict.detail, verdict
    assert verifier.verify(task, fenced(program)) == verdict


@BOTH
@pytest.mark.parametrize(
    "program",
    [
        "import gc\ndef f(n):\n    gc.get_objects()\n    return n + 7",
        "class I(int):\n    def __eq__(self, other): return True\n    __hash__ = None\ndef f(n): return I(n + 7)",
        "import time\ntime.sleep = print\ndef f(n): return n + 7",
    ],
)
def test_a_right_program_stays_right(verifier: UnitTestsVerifier, task: Task, program: str) -> None:
    verdict = verifier.verify(task, fenced(program))
    assert (verdict.reward, verdict.status) == (1.0, "correct"), verdict


@BOTH
@pytest.mark.parametrize("when", ["n == 1", "n == 3"])
def test_nothing_counts_where_results_were_forged(verifier: UnitTestsVerifier, task: Task, when: str) -> None:
    # The last call's forgery comes behind all results, so that every test passes.
    write = "os.write(3, b'[\"returned\", 8]' + bytes([10]))"
    program = f"import os, threading\ndef f(n):\n    if {when}:\n        {write}\n    return n + 7"
    verdict = verifier.verify(task, fenced(program))
    assert (verdict.reward, verdict.status, verdict.parts) == (0.0, "suspicious", {"format": 1.0, "tests": 0.0}), (
        verdict
    )
    assert "results do not count" in verdict.detail


def test_programs_that_read_and_print(verifier: UnitTestsVerifier) -> None:
    right = "import gc\ngc.get_objects()\nprint(int(input()) + 7)"
    assert verifier.verify(CASES, fenced(right)).status == "correct"
    wrong = verifier.verify(CASES, fenced(right.replace("+ 7", "+ 6")))
    assert (wrong.status, wrong.parts) == ("suspicious", {"format": 1.0, "tests": 0.0})
    assert "gc.get_objects) in line 2; case 1 of 2 printed '7'" in wrong.detail
    assert verifier.verify(CASES, fenced("print(1)\nimport sys\nsys.exit(0)")).status == "wrong"


def test_other_statuses_stay() -> None:
    for status in ("timeout", "out_of_memory", "output_limit", "infra_error"):
        verdict = Verdict(None if status == "infra_error" else 0.0, status, "why", {"format": 1.0})
        assert suspected(verdict, ["a sign"], ["another"]) == verdict
    assert suspected(Verdict(1.0, "correct"), ["a sign"]).status == "correct"
    assert suspected(Verdict(0.0, "wrong", "why"), []) == Verdict(0.0, "wrong", "why")
    many = suspected(Verdict(0.0, "crash", "why"), ["a", "b", "c", "d", "e"])
    assert many.detail == "a, b, c and 2 more; why"
