"""Tasks of reasoning-gym: the same everywhere, splits without a question in common, answers that are paid."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError
from itertools import combinations
from typing import Any, get_args

import numpy as np
import pytest
from omegaconf import OmegaConf

from rlpt.config.preflight import compose_config
from rlpt.domains.protocol import build_domains
from rlpt.domains.splits import fingerprint
from rlpt.errors import UserError
from rlpt.gym import package
from rlpt.records import Split
from rlpt.verifiers.pool import VerifierPool
from rlpt.verifiers.validate import validate

SPLITS = get_args(Split)
Keys = Callable[..., dict[str, Any]]


def build(keys: Keys, **changed: Any):
    return build_domains({"reasoning_gym": keys("reasoning_gym", **changed)})["reasoning_gym"]


@pytest.fixture(scope="module")
def small(keys: Keys):
    return build(keys, train_tasks=60, validation_tasks=30, test_tasks=20)


def test_splits_have_their_sizes_and_every_dataset_its_share(small):
    for split, size in (("train", 60), ("validation", 30), ("test", 20)):
        tasks = small.load(split)
        assert len(tasks) == size
        shares = Counter(task.reference["dataset"] for task in tasks)
        assert set(shares) == {"chain_sum", "spell_backward", "letter_counting", "gcd"}
        assert max(shares.values()) - min(shares.values()) <= 1


def test_tasks_are_unique_and_well_formed(small):
    every = [task for split in SPLITS for task in small.load(split)]
    assert len({task.task_id for task in every}) == len(every)
    for task in every:
        assert task.domain == "reasoning_gym"
        assert [message["role"] for message in task.messages] == ["system", "user", "assistant", "user"]
        assert json.loads(json.dumps(task.reference)) == task.reference
        assert set(task.reference) == {"dataset", "answer", "entry"}


@pytest.mark.parametrize("dataset", ["coin_flip", "prime_factorization"])
def test_splits_share_no_question_also_where_there_are_few(keys: Keys, dataset: str):
    domain = build(keys, datasets=[dataset], train_tasks=10_000, validation_tasks=20, test_tasks=20)
    questions = {split: {task.messages[-1]["content"] for task in domain.load(split)} for split in SPLITS}
    for first, second in combinations(SPLITS, 2):
        assert not questions[first] & questions[second]
    assert len(questions["train"]) < 10_000


def test_more_tasks_leave_those_of_other_splits_where_they_are(keys: Keys):
    few = build(keys, datasets=["coin_flip"], train_tasks=50, validation_tasks=5, test_tasks=5)
    many = build(keys, datasets=["coin_flip"], train_tasks=50, validation_tasks=20, test_tasks=20)
    assert many.load("train") == few.load("train")
    assert many.load("test")[:5] == few.load("test")


def test_other_processes_load_the_same_tasks(keys: Keys):
    changed = {"datasets": ["list_functions", "pool_matrix", "acre", "zebra_puzzles"], "train_tasks": 12}
    arguments = keys("reasoning_gym", validation_tasks=4, test_tasks=4, **changed)
    program = (
        "import json, sys\n"
        "from rlpt.domains.protocol import build_domains\n"
        "from rlpt.domains.splits import fingerprint\n"
        "domain = build_domains({'reasoning_gym': json.load(sys.stdin)})['reasoning_gym']\n"
        "print(json.dumps([fingerprint(domain.load(split)) for split in ('test', 'validation', 'train')]))\n"
    )
    printed = [
        subprocess.run(
            [sys.executable, "-c", program],
            input=json.dumps(arguments),
            env={"PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    ]
    domain = build_domains({"reasoning_gym": arguments})["reasoning_gym"]
    assert [json.loads(text) for text in printed] == [[fingerprint(domain.load(s)) for s in reversed(SPLITS)]] * 2


def test_another_seed_gives_other_tasks(keys: Keys, small):
    other = build(keys, seed=1, train_tasks=60, validation_tasks=30, test_tasks=20)
    assert fingerprint(other.load("test")) != fingerprint(small.load("test"))


def test_options_reach_the_generator(keys: Keys):
    entry = {"name": "gcd", "options": {"min_numbers": 4, "max_numbers": 4}}
    domain = build(keys, datasets=[entry, {"name": "lcm"}], train_tasks=8, validation_tasks=4, test_tasks=4)
    for task in domain.load("train"):
        question = task.messages[-1]["content"]
        assert question.count(",") == (3 if task.reference["dataset"] == "gcd" else 1), question


def test_making_tasks_leaves_random_numbers_and_the_terminal_alone(keys: Keys, capsys):
    random.seed(5)
    np.random.seed(5)
    before = random.getstate(), np.random.get_state()[1].tolist()
    sizes = {"train_tasks": 4, "validation_tasks": 4, "test_tasks": 4}
    build(keys, datasets=["pool_matrix", "list_functions", "bf"], **sizes).load("train")
    assert (random.getstate(), np.random.get_state()[1].tolist()) == before
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    ("datasets", "part"),
    [
        ([], "at least one dataset"),
        ("gcd", "at least one dataset"),
        (["gcdd"], "no dataset 'gcdd'; those that can be used are ab, "),
        (["countdown"], "countdown cannot be used: its scorer gives the answer to sympy"),
        (["word_ladder"], "hash seed"),
        ([5], "holds 5; write a name"),
        ([{"options": {}}], "write a name"),
        ([{"name": "gcd", "weight": 2}], "write a name"),
        ([{"name": "gcd", "options": [3]}], "must be keys with values"),
        ([{"name": "gcd", "options": {"max_number": 3}}], "no option 'max_number'; it has max_numbers, "),
        ([{"name": "gcd", "options": {"seed": 3}}], "no option 'seed'"),
        ([{"name": "gcd", "options": {"min_numbers": 9, "max_numbers": 3}}], "gcd does not take min_numbers=9"),
        ([{"name": "gcd", "options": {"max_numbers": "many"}}], "gcd does not take max_numbers=many"),
    ],
)
def test_datasets_that_cannot_be_used_are_an_error(keys: Keys, datasets: Any, part: str):
    with pytest.raises(UserError, match=part):
        build(keys, datasets=datasets)


def test_more_tasks_than_there_are_is_an_error(keys: Keys):
    domain = build(keys, datasets=["coin_flip"], test_tasks=5000)
    with pytest.raises(
        UserError, match=r"domain.reasoning_gym.test_tasks=5000 .* add to domain.reasoning_gym.datasets"
    ):
        domain.load("test")


def test_a_missing_package_is_an_error_that_says_how_to_get_it(keys: Keys, monkeypatch):
    def missing(name):
        raise PackageNotFoundError(name)

    monkeypatch.setattr(package, "version", missing)
    with pytest.raises(UserError, match=r'pip install "rlpt\[reasoning_gym\]"'):
        build(keys)


def test_composing_needs_no_package():
    program = (
        "import sys\n"
        "from rlpt.config.preflight import compose_config\n"
        "compose_config('train', ['domain=[reasoning_gym]'])\n"
        "print([name for name in ('reasoning_gym', 'sympy', 'numpy') if name in sys.modules])\n"
    )
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"


def test_the_configured_verifier_pays_every_demonstration(small):
    cfg = compose_config("train", ["domain=[reasoning_gym]"])
    node = OmegaConf.to_container(cfg.domain.reasoning_gym.verifier)
    with VerifierPool({"reasoning_gym": node}, workers=1, timeout_s=30.0) as pool:
        for split in SPLITS:
            tasks = small.load(split)
            assert validate(tasks, [small.demonstration(task) for task in tasks], pool) == []
        cheap = [(task, text) for task in tasks for text in ("", *(message["content"] for message in task.messages))]
        wrong = [(task, text) for task, text in cheap if text != small.demonstration(task)]
        assert {verdict.reward for verdict in pool.score(wrong)} == {0.0}
