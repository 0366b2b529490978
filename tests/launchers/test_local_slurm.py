"""`launchers/slurm/local.sh`: a Slurm on one machine that comes up, runs jobs, and leaves nothing behind."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
import submitit
from submitit.helpers import CommandFunction

HERE = Path(__file__).resolve().parent


def commands(folder: Path) -> list[str]:
    """Names of the running processes that mention `folder` on their command line."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            words = (process / "cmdline").read_bytes().decode(errors="replace").split("\0")
            environment = (process / "environ").read_bytes().decode(errors="replace")
        except OSError:  # it ended meanwhile
            continue
        if any(str(folder) in word for word in words) or f"SLURM_CONF={folder}/" in environment:
            found.append(words[0])
    return found


def test_it_has_two_idle_nodes(slurm):
    result = slurm("status")
    assert result.returncode == 0, result.stderr
    assert len([line for line in result.stdout.splitlines() if " idle " in line]) == 2


def test_up_does_nothing_where_it_is_up(slurm):
    before = (slurm.folder / "slurm.conf").read_bytes()
    result = slurm("up")
    assert result.returncode == 0, result.stderr
    assert "already up" in result.stdout
    assert (slurm.folder / "slurm.conf").read_bytes() == before


def test_a_job_spans_both_nodes(on_slurm, tmp_path):
    executor = submitit.AutoExecutor(folder=tmp_path, cluster="slurm")
    executor.update_parameters(nodes=2, tasks_per_node=1, cpus_per_task=1, timeout_min=5)
    job = executor.submit(CommandFunction([sys.executable, str(HERE / "all_reduce.py")], verbose=False))
    assert sorted(text.strip() for text in job.results()) == ["rank 0 of 2: 3.0", "rank 1 of 2: 3.0"]


def test_a_job_that_dies_is_seen_to_be_over(on_slurm, tmp_path):
    executor = submitit.AutoExecutor(folder=tmp_path, cluster="slurm")
    executor.update_parameters(timeout_min=5)
    job = executor.submit(CommandFunction(["sleep", "600"]))
    deadline = time.monotonic() + 120
    while job.watcher.get_state(job.job_id, mode="force") != "RUNNING" and time.monotonic() < deadline:
        time.sleep(0.2)
    job.cancel(check=True)
    # Slurm tidies a node up (COMPLETING) before it gives a job its last state.
    while (state := job.watcher.get_state(job.job_id, mode="force")) != "CANCELLED" and time.monotonic() < deadline:
        time.sleep(0.2)
    assert state == "CANCELLED"
    assert job.done(force_check=True)


def test_two_clusters_live_side_by_side_and_down_leaves_nothing(slurm, new_slurm, tmp_path):
    other = new_slurm()
    assert other("up").returncode == 0
    script = ["sbatch", "--output", os.devnull, "--wrap", "sleep 600"]
    subprocess.run(script, env=dict(other.env), cwd=tmp_path, check=True, capture_output=True)
    assert "slurmctld" in "".join(commands(other.folder))

    assert other("down").returncode == 0

    assert commands(other.folder) == []
    assert not other.folder.exists()
    assert slurm("status").returncode == 0


def test_status_of_a_cluster_that_is_down(new_slurm):
    result = new_slurm()("status")
    assert result.returncode != 0
    assert "not running" in result.stderr


@pytest.mark.parametrize("verb", ["", "start"])
def test_an_unknown_verb(root, verb):
    result = subprocess.run([root / "launchers/slurm/local.sh", verb], capture_output=True, text=True, check=False)
    assert result.returncode != 0
    assert "up | env | status | down" in result.stderr
