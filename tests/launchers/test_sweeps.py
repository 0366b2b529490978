"""`rlpt train -m` through Submitit: on this machine and on a real Slurm, with the real engines."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from itertools import product
from pathlib import Path

import pytest
import yaml

# The whole system at its cheapest: the tiny policy, one step, a few tasks.
CHEAP = (
    "policy=tiny",
    "budget.steps=1",
    "evaluation.tasks_per_domain=8",
    "mixture.tasks_per_step=3",
    "algorithm.group_size=4",
)


def runs_of_sweeps(folder: Path) -> list[Path]:
    return sorted(path.parent for path in folder.glob("runs/*/*-sweep/*/config.yaml"))


def overrides(run: Path) -> set[str]:
    return set(yaml.safe_load((run / "overrides.yaml").read_text()))


def wandb_group(run: Path) -> str:
    """The group that W&B's own offline file of the run names."""
    (folder,) = run.glob("wandb/offline-run-*")
    inspect = [sys.executable, "-m", "wandb", "leet", "inspect", "--json", str(folder)]
    records = map(json.loads, subprocess.check_output(inspect, text=True).splitlines())
    return next(record["run"]["run_group"] for record in records if record["type"] == "run")


@pytest.mark.parametrize("launcher", ["submitit_local", "submitit_slurm"])
def test_a_sweep_gives_a_finished_run_for_each_combination(launcher, rlpt, tmp_path, request):
    env = dict(request.getfixturevalue("slurm").env) if launcher == "submitit_slurm" else dict(os.environ)

    result = rlpt("train", "-m", *CHEAP, "algorithm=grpo,rloo", "seed=0,1", f"hydra/launcher={launcher}", env=env)

    assert result.returncode == 0, result.stdout + result.stderr
    runs = runs_of_sweeps(tmp_path)
    assert len(runs) == 4
    for algorithm, seed in product(("grpo", "rloo"), (0, 1)):
        assert sum({f"algorithm={algorithm}", f"seed={seed}"} <= overrides(run) for run in runs) == 1
    for run in runs:
        summary = json.loads((run / "summary.json").read_text())
        assert summary["steps"] == 1
        assert set(summary["domains"]) == {"arithmetic", "python_functions", "instructions"}
    (sweep,) = {run.parent.name for run in runs}
    assert {wandb_group(run) for run in runs} == {sweep}


def test_a_slurm_job_may_run_several_ranks(rlpt, tmp_path, slurm):
    chosen = ("hardware=cpu_fsdp2", "hydra/launcher=submitit_slurm", "hydra.launcher.cpus_per_task=2")

    result = rlpt("train", "-m", *CHEAP, *chosen, env=dict(slurm.env))

    assert result.returncode == 0, result.stdout + result.stderr
    (run,) = runs_of_sweeps(tmp_path)
    assert json.loads((run / "summary.json").read_text())["steps"] == 1


def test_a_run_that_fails_leaves_the_others_of_its_sweep_alone(rlpt, tmp_path, slurm):
    # Only the job finds out that it cannot prepare the model there.
    chosen = ("cache_dir=null,/dev/null/nowhere", "hydra/launcher=submitit_slurm")

    result = rlpt("train", "-m", *CHEAP, *chosen, env=dict(slurm.env))

    assert result.returncode == 1
    assert "1 of 2 runs failed" in result.stderr
    assert [(run / "summary.json").exists() for run in runs_of_sweeps(tmp_path)] == [True, False]
