"""Evaluations of a run leave its training as it is, and can be made again from its checkpoints."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from rlpt.evaluation.store import load_evaluation
from rlpt.run_dir import RunDir
from rlpt.tracking.local import read_rollouts
from tests.system.conftest import CHEAP, only_run

SAME = (*CHEAP, "tracker=none", "serving=none", "budget.steps=2")


@pytest.fixture(scope="module")
def measured(tmp_path_factory) -> Path:
    """A run of two steps that is evaluated before, between and after."""
    folder = tmp_path_factory.mktemp("measured")
    command = [sys.executable, "-m", "rlpt", "train", *SAME, "evaluation.every=1"]
    result = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=500, check=False)
    assert result.returncode == 0, result.stdout + result.stderr
    return only_run(folder)


def rollouts(run: Path, step: int) -> list[tuple[str, list[int], list[float]]]:
    groups = [group for group, _ in read_rollouts(RunDir(run).rollouts(step))]
    return [(group.group_id, one.token_ids, one.logprobs) for group in groups for one in group.rollouts]


def test_training_goes_on_as_if_nothing_had_been_measured(measured, rlpt, tmp_path) -> None:
    result = rlpt("train", *SAME, "evaluation=none")
    assert result.returncode == 0, result.stdout + result.stderr
    alone = only_run(tmp_path)
    assert RunDir(measured).evaluation_steps() == [0, 1, 2]
    assert RunDir(alone).evaluation_steps() == []
    for step in (1, 2):
        assert rollouts(measured, step) == rollouts(alone, step)


def test_a_step_can_be_measured_later_and_is_measured_once(measured, rlpt, tmp_path) -> None:
    command = ("eval", f"run='{measured}@1'", f"cache_dir={tmp_path / 'cache'}", "name=later")
    first = rlpt(*command)
    assert first.returncode == 0, first.stdout + first.stderr
    run = only_run(tmp_path)
    again = load_evaluation(RunDir(run))
    assert again.samples == load_evaluation(RunDir(measured), 1).samples, "the weights, seeds and tasks are the same"
    suites = {name: part["suite"] for name, part in json.loads((run / "summary.json").read_text())["domains"].items()}
    assert suites == json.loads((measured / "summary.json").read_text())["suites"]
    second = rlpt(*command)
    assert "measured before and taken from the cache: arithmetic" in second.stdout
    assert not list(tmp_path.glob("runs/*/*later-2/logs/engine*"))
    assert table(second.stdout) == table(first.stdout)
    missing = rlpt("eval", f"policy='{measured}@9'")
    assert missing.returncode == 1
    assert "no checkpoint of step 9; it has: 1, 2, and 0" in missing.stderr


def table(printed: str) -> str:
    return "\n\n".join(printed.split("\n\n")[1:-1])
