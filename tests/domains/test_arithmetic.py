"""Arithmetic tasks: right answers, operands within bounds, swapped pairs in one split."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, get_args

import pytest

from rlpt.domains.arithmetic import Problem
from rlpt.domains.protocol import Domain, build_domains
from rlpt.errors import UserError
from rlpt.records import Split, Task
from rlpt.verifiers.math import MathVerifier

SPLITS = get_args(Split)

Keys = Callable[..., dict[str, Any]]
Tasks = Mapping[str, Mapping[Split, Sequence[Task]]]


def test_answers_are_right_and_operands_within_bounds(tasks: Tasks):
    for split in SPLITS:
        for task in tasks["arithmetic"][split]:
            left, symbol, right = task.task_id.split()
            a, b = int(left), int(right)
            assert task.reference == {"answer": str({"+": a + b, "-": a - b, "*": a * b}[symbol])}
            assert min(a, b) >= 1
            assert a >= b or symbol != "-"
            assert task.task_id in task.messages[-1]["content"]


def test_swapped_operands_are_in_the_same_split(tasks: Tasks):
    meanings = {
        split: {
            Problem(int(left), symbol, int(right)).key for left, symbol, right in _parts(tasks["arithmetic"][split])
        }
        for split in SPLITS
    }
    assert not meanings["train"] & meanings["test"]
    assert not meanings["train"] & meanings["validation"]
    assert not meanings["validation"] & meanings["test"]


def test_the_example_is_no_task(tasks: Tasks):
    for split in SPLITS:
        assert not {"3 + 4", "4 + 3"} & {task.task_id for task in tasks["arithmetic"][split]}


def test_every_operator_is_well_represented(tasks: Tasks):
    symbols = [symbol for _, symbol, _ in _parts(tasks["arithmetic"]["test"])]
    assert all(symbols.count(symbol) >= 30 for symbol in "+-*")


def test_the_verifier_accepts_every_demonstration_and_no_other_number(domains: Mapping[str, Domain], tasks: Tasks):
    verifier = MathVerifier()
    for split in SPLITS:
        for task in tasks["arithmetic"][split]:
            demonstration = domains["arithmetic"].demonstration(task)
            verdict = verifier.verify(task, demonstration)
            assert (verdict.reward, verdict.parts["format"]) == (1.0, 1.0), (task.task_id, verdict)
    wrong = f"The answer is \\boxed{{{int(task.reference['answer']) + 1}}}."
    assert verifier.verify(task, wrong).reward == 0.0


@pytest.mark.parametrize(
    ("changed", "part"),
    [
        ({"operators": ["/"]}, r"one or more of \+, -, \*"),
        ({"operators": []}, "one or more"),
        ({"max_operand": 0}, "max_operand=0"),
    ],
)
def test_settings_without_a_problem_are_an_error(changed: dict[str, Any], part: str, keys: Keys):
    with pytest.raises(UserError, match=part):
        build_domains({"arithmetic": keys("arithmetic", **changed)})


def test_too_small_numbers_are_an_error_that_says_what_to_raise(keys: Keys):
    domain = build_domains({"arithmetic": keys("arithmetic", max_operand=5, max_factor=5)})["arithmetic"]
    with pytest.raises(UserError, match=r"raise domain.arithmetic.max_operand"):
        domain.load("test")


def _parts(tasks: Sequence[Task]) -> list[list[str]]:
    return [task.task_id.split() for task in tasks]
