"""`rlpt train -m` through Submitit: on this machine and on a real Slurm, with the real engines."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from itertools import product
from pathlib import Path

import pytest
import yaml

# The whole system at its cheapest: the tiny policy, one step, a few tasks.
CHEAP = (
    "policy=tiny",
    "budget.steps=1",
    "evaluation.tasks_per_domain=8",
    "mixture.tasks_per_step=6",
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
    (sweep,) = {"/".join(run.parts[-3:-1]) for run in runs}
    assert f"4 runs are in {runs[0].parent}" in result.stdout
    assert sum(line.startswith("algorithm=rloo seed=") for line in result.stdout.splitlines()) == 2
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


def test_a_preempted_job_is_requeued_and_goes_on(tmp_path, slurm):
    env = dict(slurm.env) | {"WANDB_MODE": "offline"}
    chosen = (*CHEAP, "budget.steps=6", "checkpoint.every=1", "hydra/launcher=submitit_slurm")
    with subprocess.Popen(
        [sys.executable, "-m", "rlpt", "train", "-m", *chosen], cwd=tmp_path, env=env, stdout=subprocess.DEVNULL
    ) as sweep:
        try:
            until(lambda: any(tmp_path.glob("runs/*/*/0/checkpoints/step-00002")), sweep)
            job = queue(env, "%A")
            subprocess.run(["scancel", "--signal", "USR2", job], env=env, check=True)
            until(lambda: queue(env, "%t") == "PD", sweep)
            # Slurm would let a requeued job wait for two minutes.
            subprocess.run(["scontrol", "update", f"jobid={job}", "starttime=now"], env=env, check=True)
            assert sweep.wait(timeout=400) == 0
        finally:
            sweep.kill()
    (run,) = runs_of_sweeps(tmp_path)
    steps = [json.loads(line)["rl/step"] for line in (run / "metrics.jsonl").read_text().splitlines()]
    assert steps == [0, 1, 2, 3, 4, 5, 6]
    assert json.loads((run / "summary.json").read_text())["steps"] == 6


def queue(env: dict[str, str], field: str) -> str:
    """What squeue shows of the only job, in its own format letter."""
    return subprocess.check_output(["squeue", "-h", "-o", field], env=env, text=True).strip()


def until(condition: Callable[[], bool], process: subprocess.Popen[bytes], timeout_s: float = 300) -> None:
    """Wait for `condition`, but no longer than the process lives."""
    deadline = time.monotonic() + timeout_s
    while not condition():
        assert process.poll() is None, "the sweep ended too early"
        assert time.monotonic() < deadline, "nothing came of it in time"
        time.sleep(0.2)
