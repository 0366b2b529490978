"""The verifier `unit_tests` in a real sandbox. Hostile programs: tests/sandbox/test_hostile.py."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict
from typing import Any

import pytest

from rlpt.errors import UserError
from rlpt.records import Task
from rlpt.sandbox.process import process_sandbox
from rlpt.sandbox.protocol import Limits
from rlpt.verifiers.unit_tests import UnitTestsVerifier


@pytest.fixture(scope="module")
def verifier(need: Callable[[str | None], None]) -> Iterator[UnitTestsVerifier]:
    try:
        verifier = UnitTestsVerifier(process_sandbox(Limits(wall_s=8.0), concurrency=1))
    except UserError as error:
        need(str(error))
        raise
    yield verifier
    verifier.close()


def task(reference: Mapping[str, Any]) -> Task:
    return Task("code", "1", [{"role": "user", "content": "Write it."}], reference)


ADD = task(
    {
        "entry_point": "add",
        "calls": [
            {"args": [1, 2], "expected": 3},
            {"args": [], "kwargs": {"a": 1, "b": -1}, "expected": 0},
            {"args": ["a", "b"], "expected": "ab"},
            {"args": [[1], [2.5]], "expected": [1, 2.5]},
        ],
    }
)
ECHO = task({"stdin_cases": [{"stdin": "1 2\n", "stdout": "3\n"}, {"stdin": "0.1 0.2\n", "stdout": "0.3\n"}]})


def fenced(program: str) -> str:
    return f"```python\n{program}\n```"


def test_right(verifier: UnitTestsVerifier) -> None:
    verdict = verifier.verify(ADD, fenced("def add(a, b):\n    return a + b"))
    assert (verdict.reward, verdict.status) == (1.0, "correct")
    assert verdict.parts == {"format": 1.0, "tests": 1.0}


@pytest.mark.parametrize(
    ("program", "status", "share"),
    [
        ("def add(a, b):\n    return a", "wrong", 0.0),
        ("def add(a, b):\n    return a + b if isinstance(a, int) else None", "wrong", 0.5),
        ("def add(a, b):\n    return float(a + b) if isinstance(a, int) else a + b", "wrong", 0.5),
        ("def add(a, b):\n    return 3", "wrong", 0.25),
        ("def add(a):\n    return a", "wrong", 0.0),
        ("def add(a, b):\n    return a + c", "wrong", 0.0),
        ("import nothing\ndef add(a, b):\n    return a + b", "crash", 0.0),
        ("def add(a, b):\n    return a + b\nraise SystemExit", "wrong", 0.0),
        ("def add(a, b):\n    import os\n    if a == 'a': os._exit(0)\n    return a + b", "suspicious", 0.5),
        ("def add(a, b):\n    print('x' * 10**7)\n    return a + b", "output_limit", 0.0),
        ("def add(a, b):\n    if a == [1]: return bytearray(10**10)\n    return a + b", "out_of_memory", 0.75),
    ],
)
def test_not_right(verifier: UnitTestsVerifier, program: str, status: str, share: float) -> None:
    verdict = verifier.verify(ADD, fenced(program))
    assert (verdict.reward, verdict.status) == (0.0, status), verdict
    assert verdict.parts == {"format": 1.0, "tests": share}
    assert verdict.detail or status == "crash"


@pytest.mark.parametrize(
    "completion",
    ["", "I cannot.", fenced("def plus(a, b): return a + b"), fenced("def add(a, b: return"), fenced("x" * 100_000)],
)
def test_no_such_function_is_no_format(verifier: UnitTestsVerifier, completion: str) -> None:
    verdict = verifier.verify(ADD, completion)
    assert (verdict.reward, verdict.status) == (0.0, "wrong")
    assert verdict.parts == {"format": 0.0, "tests": 0.0}
    assert verdict.detail


def test_the_wrong_value_is_named(verifier: UnitTestsVerifier) -> None:
    assert "call 1 returned 4, expected 3" in verifier.verify(ADD, fenced("def add(a, b): return 4")).detail
    assert "too long" in verifier.verify(ADD, fenced("def add(a, b): return [10 ** 9000]")).detail
    assert "call 1 raised ZeroDivisionError" in verifier.verify(ADD, fenced("def add(a, b): return 1 / 0")).detail


def test_the_same_verdict_each_time_and_the_task_as_it_was(verifier: UnitTestsVerifier) -> None:
    before = repr(asdict(ADD))
    program = fenced("def add(a, b):\n    a += b\n    return a")
    assert len({repr(verifier.verify(ADD, program)) for _ in range(3)}) == 1
    assert verifier.verify(ADD, program).reward == 1.0  # a list that it changed is its own
    assert repr(asdict(ADD)) == before


def test_programs_that_read_and_print(verifier: UnitTestsVerifier) -> None:
    right = fenced("a, b = input().split()\nprint(eval(a) + eval(b))")
    assert verifier.verify(ECHO, right).reward == 1.0
    half = verifier.verify(ECHO, fenced("print(3)"))
    assert (half.reward, half.status, half.parts) == (0.0, "wrong", {"format": 1.0, "tests": 0.5})
    assert "case 2 of 2 printed '3'" in half.detail
    crashed = verifier.verify(ECHO, fenced("print(int(input()))"))
    assert (crashed.reward, crashed.status) == (0.0, "crash")
    assert "ValueError" in crashed.detail


def test_the_time_is_for_all_cases_together() -> None:
    verifier = UnitTestsVerifier(process_sandbox(Limits(wall_s=2.0), concurrency=1))
    cases = task({"stdin_cases": [{"stdin": "", "stdout": ""}] * 50})
    verdict = verifier.verify(cases, fenced("import time\ntime.sleep(0.5)"))
    verifier.close()
    assert (verdict.reward, verdict.status) == (0.0, "timeout")
    assert 0.0 < verdict.parts["tests"] < 1.0


def test_a_sandbox_that_fails_gives_no_reward() -> None:
    broken = UnitTestsVerifier(process_sandbox(concurrency=1))
    broken.close()
    verdict = broken.verify(ADD, fenced("def add(a, b): return a + b"))
    assert (verdict.reward, verdict.status) == (None, "infra_error")
    assert verdict.detail


@pytest.mark.parametrize(
    "reference",
    [
        {},
        {"entry_point": "add"},
        {"entry_point": "add", "calls": []},
        {"entry_point": "add", "calls": "add(1, 2)"},
        {"entry_point": "add", "calls": [{"args": [1]}]},
        {"entry_point": "add", "calls": [{"args": "ab", "expected": 1}]},
        {"entry_point": "add", "calls": [{"args": [], "kwargs": [1], "expected": 1}]},
        {"entry_point": "add me", "calls": [{"args": [1], "expected": 1}]},
        {"calls": [{"args": [1], "expected": 1}]},
        {"stdin_cases": []},
        {"stdin_cases": [{"stdin": "1"}]},
        {"stdin_cases": [{"stdin": 1, "stdout": "1"}]},
    ],
)
def test_a_reference_without_tests_is_an_error(verifier: UnitTestsVerifier, reference: Mapping[str, Any]) -> None:
    with pytest.raises(UserError, match="unit_tests"):
        verifier.check_reference(reference)
    with pytest.raises(UserError, match="unit_tests"):
        verifier.verify(task(reference), fenced("x = 1"))
