"""Calculator tasks: right answers, disjoint and stable splits, a demonstration that calls the tool."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, get_args

import pytest

from rlpt.domains.protocol import Domain, build_domains, demonstrated, load_tasks
from rlpt.errors import UserError
from rlpt.records import Split, Task
from rlpt.verifiers.math import MathVerifier

SPLITS = get_args(Split)
Keys = Callable[..., dict[str, Any]]


@pytest.fixture(scope="module")
def calculator(keys: Keys) -> Domain:
    return build_domains({"calculator": keys("calculator")})["calculator"]


@pytest.fixture(scope="module")
def splits(calculator: Domain) -> dict[Split, list[Task]]:
    return {split: load_tasks("calculator", calculator, split) for split in SPLITS}


def test_splits_have_their_sizes_and_share_no_problem(splits: dict[Split, list[Task]], keys: Keys):
    found = {split: {_meaning(task) for task in own} for split, own in splits.items()}
    for split in SPLITS:
        assert len(found[split]) == len(splits[split]) == keys("calculator")[f"{split}_tasks"]
    assert not found["train"] & found["test"]
    assert not found["train"] & found["validation"]
    assert not found["validation"] & found["test"]


def test_answers_are_right_and_numbers_are_large(splits: dict[Split, list[Task]]):
    for own in splits.values():
        for task in own:
            left, symbol, right = task.task_id.split()
            a, b = int(left), int(right)
            assert task.reference == {"answer": str({"+": a + b, "-": a - b, "*": a * b}[symbol])}
            assert min(a, b) >= 1
            assert max(a, b) <= (999 if symbol == "*" else 9999)
            assert a >= b or symbol != "-"
            assert f"What is {task.task_id}?" in task.messages[-1]["content"]
    symbols = [task.task_id.split()[1] for task in splits["test"]]
    assert all(symbols.count(symbol) >= 30 for symbol in "+-*")


def test_more_tasks_move_none(splits: dict[Split, list[Task]], keys: Keys):
    few = build_domains({"calculator": keys("calculator", train_tasks=10, test_tasks=5)})["calculator"]
    assert few.load("train") == splits["train"][:10]
    assert few.load("test") == splits["test"][:5]


def test_the_trajectory_calls_the_tool_and_ends_with_an_answer_that_is_paid(
    calculator: Domain, splits: dict[Split, list[Task]]
):
    verifier = MathVerifier()
    for task in splits["test"]:
        call, told, answer = demonstrated(calculator, task)
        code = call["tool_calls"][0]["function"]["arguments"]["code"]
        assert code == f"print({task.task_id})"
        assert told["content"] == task.reference["answer"]
        assert answer["content"] == calculator.demonstration(task)
        assert verifier.verify(task, answer["content"]).reward == 1.0


def test_too_few_numbers_are_an_error_that_says_what_to_raise(keys: Keys):
    domain = build_domains({"calculator": keys("calculator", max_operand=9, max_factor=9)})["calculator"]
    with pytest.raises(UserError, match=r"raise domain\.calculator\.max_operand"):
        domain.load("test")


@pytest.mark.parametrize("changed", [{"operators": ["/"]}, {"operators": []}, {"max_factor": 0}])
def test_settings_without_a_problem_are_an_error(changed: dict[str, Any], keys: Keys):
    with pytest.raises(UserError):
        build_domains({"calculator": keys("calculator", **changed)})


def _meaning(task: Task) -> str:
    left, symbol, right = task.task_id.split()
    return f"{left}-{right}" if symbol == "-" else f"{symbol.join(sorted((left, right)))}"
