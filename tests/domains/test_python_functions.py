"""Function tasks: hidden calls tell functions apart, meanings stay in one split, demonstrations are right."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from typing import Any, get_args

import pytest

from rlpt.domains.functions.catalogue import catalogue, hidden_calls, meaning_of
from rlpt.domains.functions.families import FAMILIES
from rlpt.domains.functions.function import outcomes, same
from rlpt.domains.protocol import Domain, build_domains
from rlpt.domains.python_functions import EXAMPLE
from rlpt.errors import UserError
from rlpt.records import Split, Task

SPLITS = get_args(Split)

Keys = Callable[..., dict[str, Any]]
Tasks = Mapping[str, Mapping[Split, Sequence[Task]]]


def passes(function: Callable[..., Any], task: Task) -> bool:
    """Whether `function` gives the expected result of every hidden call."""
    return all(
        any(same(result, call["expected"]) for _, result in outcomes(function, [tuple(call["args"])]))
        for call in task.reference["calls"]
    )


@pytest.fixture(scope="module")
def every(tasks: Tasks) -> list[Task]:
    return [task for split in SPLITS for task in tasks["python_functions"][split]]


def test_the_grammar_has_many_meanings_and_says_each_once():
    assert len(catalogue()) >= 900
    assert len({entry.key for entry in catalogue()}) == len(catalogue())
    assert len({family.name for family in FAMILIES}) == len(FAMILIES)


def test_no_other_function_of_the_grammar_passes_the_hidden_calls(tasks: Tasks):
    entries = {entry.function.label: entry for entry in catalogue()}
    for task in tasks["python_functions"]["test"]:
        own = entries[task.task_id]
        for other in entries.values():
            if other.function.signature == own.function.signature:
                assert passes(other.run, task) == (other is own), (task.task_id, other.function.label)


def test_constants_and_identity_fail(every: list[Task]):
    for task in every:
        calls = task.reference["calls"]
        assert len(calls) >= 6
        for call in calls:
            assert not passes(lambda *args, call=call: call["expected"], task), task.task_id
        for position in range(len(calls[0]["args"])):
            assert not passes(lambda *args, position=position: args[position], task), task.task_id


def test_prompts_show_the_header_and_no_call(every: list[Task]):
    for task in every:
        request = task.messages[-1]["content"]
        assert f"`{task.reference['entry_point']}(" in request
        assert request.count("(") == 1


def test_the_example_is_no_task(every: list[Task]):
    assert EXAMPLE.body == "return x * 3"
    assert "times-4" in {task.task_id for task in every}
    assert "times-3" not in {task.task_id for task in every}


def test_splits_share_no_meaning(tasks: Tasks):
    labels = {entry.function.label: entry.key for entry in catalogue()}
    keys = {split: {labels[task.task_id] for task in tasks["python_functions"][split]} for split in SPLITS}
    assert sum(map(len, keys.values())) == len(set().union(*keys.values()))
    assert meaning_of(EXAMPLE) not in set().union(*keys.values())


def test_some_families_are_new_in_validation_and_test(tasks: Tasks):
    families = {split: {task.reference["entry_point"] for task in tasks["python_functions"][split]} for split in SPLITS}
    assert len(families["test"] - families["train"]) >= 5
    assert len(families["validation"] - families["train"]) >= 5
    assert len(families["test"] & families["train"]) >= 30


def test_no_family_need_be_held_out(keys: Keys):
    domain = build_domains({"python_functions": keys("python_functions", held_out_families=0.0)})["python_functions"]
    families = {task.reference["entry_point"] for task in domain.load("train")}
    assert len(families) > 0.8 * len(FAMILIES)


def test_demonstrations_define_the_entry_point_and_pass(domains: Mapping[str, Domain], every: list[Task]):
    for task in every:
        text = domains["python_functions"].demonstration(task)
        source = text.removeprefix("```python\n").removesuffix("```")
        (definition,) = ast.parse(source).body
        assert isinstance(definition, ast.FunctionDef)
        scope: dict[str, Any] = {}
        exec(source, scope)
        assert passes(scope[task.reference["entry_point"]], task)


def test_hidden_calls_know_booleans_from_numbers():
    entry = next(entry for entry in catalogue() if entry.function.label == "is_even")
    assert all(type(result) is bool for _, result in hidden_calls(entry))


def test_a_share_that_leaves_nothing_to_train_on_is_an_error(keys: Keys):
    with pytest.raises(UserError, match=r"held_out_families=1.5"):
        build_domains({"python_functions": keys("python_functions", held_out_families=1.5)})
