"""What holds for every domain that comes with rlpt."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from typing import Any, get_args

import pytest

from rlpt.domains.protocol import Domain, build_domains
from rlpt.domains.splits import fingerprint
from rlpt.errors import UserError
from rlpt.records import Split, Task

SPLITS = get_args(Split)

Keys = Callable[..., dict[str, Any]]
Tasks = Mapping[str, Mapping[Split, Sequence[Task]]]

pytestmark = pytest.mark.parametrize("name", ["arithmetic", "python_functions", "instructions"])


def test_splits_have_their_sizes(name: str, tasks: Tasks, keys: Keys):
    asked = keys(name)
    assert len(tasks[name]["test"]) == asked["test_tasks"] >= 128
    assert len(tasks[name]["validation"]) == asked["validation_tasks"] >= 128
    assert 300 <= len(tasks[name]["train"]) <= asked["train_tasks"]


def test_splits_are_disjoint(name: str, tasks: Tasks):
    for first, second in combinations(SPLITS, 2):
        for what in (lambda task: task.task_id, lambda task: json.dumps(task.messages)):
            assert not {what(task) for task in tasks[name][first]} & {what(task) for task in tasks[name][second]}


def test_tasks_are_unique_and_well_formed(name: str, tasks: Tasks):
    every = [task for split in SPLITS for task in tasks[name][split]]
    assert len({task.task_id for task in every}) == len(every)
    assert len({json.dumps(task.messages) for task in every}) == len(every)
    for task in every:
        assert task.domain == name
        assert [message["role"] for message in task.messages] == ["system", "user", "assistant", "user"]
        assert json.loads(json.dumps(task.reference)) == task.reference


def test_prompts_are_short(name: str, tasks: Tasks):
    for split in SPLITS:
        for task in tasks[name][split]:
            assert sum(len(message["content"]) for message in task.messages) < 450


def test_other_processes_load_the_same_tasks(name: str, tasks: Tasks, keys: Keys):
    program = (
        "import json, sys\n"
        "from rlpt.domains.protocol import build_domains\n"
        "from rlpt.domains.splits import fingerprint\n"
        "name, arguments = json.load(sys.stdin)\n"
        "domain = build_domains({name: arguments})[name]\n"
        "print(json.dumps([fingerprint(domain.load(split)) for split in ('train', 'validation', 'test')]))\n"
    )
    result = subprocess.run(
        [sys.executable, "-c", program],
        input=json.dumps([name, keys(name)]),
        env={"PYTHONHASHSEED": "7"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(result.stdout) == [fingerprint(tasks[name][split]) for split in SPLITS]


def test_smaller_sizes_take_the_first_of_the_same_tasks(name: str, tasks: Tasks, keys: Keys):
    few = build_domains({name: keys(name, train_tasks=20, validation_tasks=10, test_tasks=5)})[name]
    for split, size in (("train", 20), ("validation", 10), ("test", 5)):
        assert list(few.load(split)) == list(tasks[name][split][:size])


def test_another_seed_gives_other_tasks(name: str, tasks: Tasks, keys: Keys):
    other = build_domains({name: keys(name, seed=1)})[name]
    assert fingerprint(other.load("test")) != fingerprint(tasks[name]["test"])


def test_more_tasks_than_there_are_is_an_error(name: str, keys: Keys):
    domain = build_domains({name: keys(name, test_tasks=100_000)})[name]
    with pytest.raises(UserError, match=f"domain.{name}.test_tasks=100000"):
        domain.load("test")


def test_a_domain_must_be_named_as_its_key(name: str, keys: Keys):
    with pytest.raises(UserError, match=f"domain.mine.name is '{name}'"):
        build_domains({"mine": keys(name)})
    built: Mapping[str, Domain] = build_domains({"mine": keys(name, name="mine")})
    assert {task.domain for task in built["mine"].load("test")} == {"mine"}
