"""Calls that are read from check code save a run of it, and are never believed."""

from __future__ import annotations

import ast
import json
from collections.abc import Callable, Iterator

import pytest

from benchmarks._human_eval import load
from rlpt.errors import UserError
from rlpt.sandbox.inside.encode import decode
from rlpt.sandbox.process import process_sandbox
from rlpt.sandbox.protocol import Limits
from rlpt.sandbox.warm import WarmSandbox
from rlpt.verifiers.check_foresight import foreseen
from rlpt.verifiers.unit_tests import UnitTestsVerifier
from tests.verifiers.test_check_rounds import Recorded, fenced, task

RIGHT, WRONG = fenced("def f(x): return x + 1"), fenced("def f(x): return x")


@pytest.fixture(scope="module")
def sandbox(need: Callable[[str | None], None]) -> Iterator[WarmSandbox]:
    try:
        sandbox = process_sandbox(Limits(wall_s=8.0), concurrency=1)
    except UserError as error:
        need(str(error))
        raise
    yield sandbox
    sandbox.close()


def read(check: str) -> list[object]:
    return [decode(json.loads(call)) for call in foreseen(ast.parse(check), "f")]


def test_calls_with_plain_arguments_are_read_in_order() -> None:
    check = """
METADATA = {"author": "f"}
def check(candidate):
    '''Of f.'''
    import math
    wanted = 3
    assert candidate(-1, 'a' 'b', key=(None, 2.5)) == wanted, candidate("message")
    assert f([{"a": [b"x", True]}]) == candidate(3 * 19 - 1) and abs(candidate({}) - 1) < 1e-6
"""
    assert read(check) == [
        [[-1, "ab"], {"key": (None, 2.5)}],
        [[[{"a": [b"x", True]}]], {}],
        [[56], {}],
        [[{}], {}],
    ]


@pytest.mark.parametrize(
    "body",
    [
        "for n in range(3): assert candidate(n)",
        "if candidate(1): assert candidate(2)",
        "assert candidate(1) == 1 or candidate(2) == 2",
        "assert all(candidate(n) for n in [1, 2])",
        "assert candidate(candidate(1))",
        "assert candidate({1, 2})",
        "assert candidate(*[1])",
        "assert candidate(**{'x': 1})",
        "assert candidate({**{}})",
        "assert candidate({[]: 1})",
        "assert candidate(n)",
        "assert candidate(1j)",
        "assert candidate(2 ** 100)",
        "assert candidate(9 * 9" + " * 999999999999" * 9 + ")",
        "assert list(map(candidate, [1]))",
        "f = candidate",
        "g = lambda: candidate(1)",
        "assert candidate(1) == 2" + " + 1" * 1_500,
        "return candidate(1)",
        "assert True",
    ],
)
def test_of_all_else_nothing_is_read(body: str) -> None:
    assert read(f"def check(candidate):\n    {body}") == []


def test_nor_of_a_check_that_others_call_for_it() -> None:
    assert read("def helper(): return f(1)\ndef check(candidate):\n    assert candidate(1)") == []
    assert read("@wraps\ndef check(candidate):\n    assert candidate(1)") == []


def test_a_reading_saves_the_first_run_of_the_check(sandbox: WarmSandbox) -> None:
    recorded = Recorded(sandbox)
    verifier = UnitTestsVerifier(recorded)
    problem = task("f", "def check(candidate):\n    assert candidate(1) == 2\n    assert candidate(2) == 3")
    assert verifier.verify(problem, RIGHT).reward == 1.0
    assert verifier.verify(problem, WRONG).status == "wrong"
    assert recorded.runs == ["program", "check"] * 2


def test_a_wrong_reading_changes_no_verdict(sandbox: WarmSandbox) -> None:
    recorded = Recorded(sandbox)
    verifier = UnitTestsVerifier(recorded)
    problem = task("f", "def check(candidate):\n    assert globals()['f'](5) == 6\n    assert candidate(1) == 2")
    assert len(read(problem.reference["check"])) == 1
    assert verifier.verify(problem, RIGHT).reward == 1.0
    assert verifier.verify(problem, WRONG).status == "wrong"
    assert recorded.runs == ["program", "check", "check", "program", "check", *["program", "check"] * 2]


def test_a_program_that_fails_where_it_is_not_called_is_run_again(sandbox: WarmSandbox) -> None:
    check = "def check(candidate): candidate(1)\ndef other(g): assert g(5) == 6\nglobals()['check'] = other"
    program = fenced("import os\ndef f(x): return x + 1 if x == 5 else os.kill(os.getpid(), 9)")
    assert UnitTestsVerifier(sandbox).verify(task("f", check), program).reward == 1.0


@pytest.mark.parametrize(
    ("check", "words"),
    [
        ("import nothing\ndef check(candidate):\n    assert candidate(1) == 2", "fails by itself: ModuleNotFound"),
        ("def check(candidate):\n    assert nothing == candidate(1)", "'nothing' is not defined"),
        ("def check(candidate): candidate(1)\nglobals()['check'] = print", "never calls f"),
    ],
)
@pytest.mark.parametrize("program", ["def f(x): return x + 1", "def f(x): 1 / 0", "import nothing\ndef f(x): return 2"])
def test_a_check_that_cannot_judge_is_an_error_whatever_the_program(
    sandbox: WarmSandbox, check: str, words: str, program: str
) -> None:
    with pytest.raises(UserError, match=words):
        UnitTestsVerifier(sandbox).verify(task("f", check), fenced(program))


def test_a_failing_program_is_run_once(sandbox: WarmSandbox) -> None:
    recorded = Recorded(sandbox)
    problem = task("f", "def check(candidate):\n    assert candidate(1) == 2")
    assert UnitTestsVerifier(recorded).verify(problem, fenced("raise ValueError\ndef f(x): return 2")).status == "crash"
    assert recorded.runs == ["program", "check"]


def test_most_checks_of_human_eval_are_read(sandbox: WarmSandbox) -> None:
    problems = load(None)
    found = [foreseen(ast.parse(one.task.reference["check"]), one.task.reference["entry_point"]) for one in problems]
    assert sum(map(bool, found)) > 0.9 * len(problems)
    one = next(one for one, calls in zip(problems, found, strict=True) if len(calls) > 5)
    recorded = Recorded(sandbox)
    assert UnitTestsVerifier(recorded).verify(one.task, one.completion).reward == 1.0
    assert recorded.runs == ["program", "check"]
