"""Recipes that need more than a policy and its samples train: critic, reference, resampling, a token budget."""

from __future__ import annotations

import math

import pytest

from rlpt.run_dir import RunDir
from rlpt.tracking.local import read_rollouts
from tests.system.conftest import CHEAP, WITH_SIGNAL, metrics, only_run

COMMON = (*CHEAP, *WITH_SIGNAL, "tracker=none", "evaluation=none", "serving=none", "budget.steps=2")

RUNS = [
    ("ppo", "cpu", ["algorithm.updates_per_step=2"]),
    ("ppo", "cpu_fsdp2", ["algorithm.kl.reference_every=1", "algorithm.kl.reference_mix=0.5"]),
    ("dapo", "cpu", ["algorithm.updates_per_step=2", "algorithm.filters.max_rounds=30"]),
    ("remax", "cpu", ["algorithm.group_size=2"]),
    ("reinforce_pp_baseline", "cpu_fsdp2", ["algorithm/normalization=running", "algorithm.entropy_coefficient=0.01"]),
]


@pytest.mark.parametrize(("name", "hardware", "more"), RUNS, ids=lambda value: value if isinstance(value, str) else "")
def test_it_trains(name, hardware, more, rlpt, tmp_path) -> None:
    result = rlpt("train", *COMMON, f"algorithm={name}", f"hardware={hardware}", *more)
    assert result.returncode == 0, result.stdout + result.stderr
    lines = metrics(only_run(tmp_path))
    assert [line["rl/step"] for line in lines] == [1, 2]
    for line in lines:
        assert line["rl/updates"] >= 1
        assert line["rl/gradient_norm"] > 0
        assert math.isfinite(line["rl/loss"])
        assert line["mismatch/max"] < 1e-4
        if name == "dapo":
            assert line["rl/groups_with_signal"] == 1.0, "groups without signal were replaced"
        if name == "ppo":
            assert line["rl/value_loss"] > 0
    if name == "dapo":
        assert any(line["rl/sampling_rounds"] > 1 for line in lines)
    if name == "reinforce_pp_baseline":
        assert lines[1]["rl/kl"] > 0, "the policy has left its reference"


def test_long_samples_go_on_under_the_next_version(rlpt, tmp_path) -> None:
    more = ("budget.steps=4", "hardware=cpu_fsdp2", "algorithm=gspo", "algorithm.rollout_tokens_per_step=8")
    result = rlpt("train", *COMMON, *more)
    assert result.returncode == 0, result.stdout + result.stderr
    run = RunDir(only_run(tmp_path))
    lines = metrics(run.root)
    assert any(line["rl/unfinished_rollouts"] > 0 for line in lines)
    assert any(line["rl/staleness"] > 0 for line in lines)
    assert max(line.get("mismatch/max", 0.0) for line in lines) < 1e-4, (
        "the engine agrees on what it wrote in this step"
    )
    rollouts = [
        rollout
        for step in run.rollout_steps()
        for group, _ in read_rollouts(run.rollouts(step))
        for rollout in group.rollouts
    ]
    several = [rollout for rollout in rollouts if len(set(rollout.versions)) > 1]
    assert several
    for rollout in several:
        assert list(rollout.versions) == sorted(rollout.versions)
        assert all(rollout.versions.count(version) == 8 for version in set(rollout.versions[:-8]))


def test_a_batch_that_never_fills_ends_the_run_with_a_sentence(rlpt) -> None:
    result = rlpt(
        "train", *COMMON, "algorithm=dapo", "algorithm.filters.max_rounds=1", "domain.python_functions.weight=0",
        "domain.instructions.weight=1", "algorithm.group_size=2",
    )  # fmt: skip
    assert result.returncode != 0
    assert "needs 8 tasks whose samples differ in reward" in result.stderr
    assert "Traceback" not in result.stderr
