"""Faults in the middle of a run: kills, Ctrl-C, a dying engine, a verifier that raises."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from rlpt.run_dir import RunDir
from rlpt.tracking.local import read_rollouts
from tests.system.conftest import CHEAP, WITH_SIGNAL, metrics, only_run

RAISING = """
class Raising:
    def verify(self, task, completion):
        raise RuntimeError("broken verifier")
"""


def start(folder: Path, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "rlpt", "train", *CHEAP, "tracker=none", *arguments],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def wait_for(condition: Callable[[], bool], process: subprocess.Popen[str]) -> None:
    """Wait until `condition()` holds; fail when the process ends before."""
    deadline = time.monotonic() + 400
    while not condition():
        if process.poll() is not None:
            pytest.fail(process.communicate()[0])
        assert time.monotonic() < deadline
        time.sleep(0.05)


def checkpoint_exists(folder: Path, step: int) -> Callable[[], bool]:
    return lambda: any(folder.glob(f"runs/*/*/checkpoints/step-{step:05d}"))


def task_ids(run: Path, step: int) -> list[str]:
    return [group.task.task_id for group, _ in read_rollouts(RunDir(run).rollouts(step))]


def engines_of(process: subprocess.Popen[str]) -> list[psutil.Process]:
    children = psutil.Process(process.pid).children(recursive=True)
    return [child for child in children if any("vllm_worker" in word for word in child.cmdline())]


def test_killed_and_resumed_is_as_if_nothing_had_happened(tmp_path, rlpt):
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    whole.mkdir()
    killed.mkdir()
    result = rlpt("train", *CHEAP, *WITH_SIGNAL, "tracker=none", "budget.steps=3", cwd=whole)
    assert result.returncode == 0, result.stdout + result.stderr

    process = start(killed, *WITH_SIGNAL, "budget.steps=3")
    wait_for(checkpoint_exists(killed, 1), process)
    left = psutil.Process(process.pid).children(recursive=True)
    process.kill()
    process.communicate()
    psutil.wait_procs(left, timeout=60)
    assert not [child for child in left if child.is_running() and child.status() != psutil.STATUS_ZOMBIE]

    run = only_run(killed)
    resumed = rlpt("train", f"resume={run}", cwd=killed)
    assert resumed.returncode == 0, resumed.stdout + resumed.stderr
    assert only_run(killed) == run
    reference = only_run(whole)
    assert sum(line.get("rl/updates", 0) for line in metrics(reference)) >= 1, "there must be something to lose"
    assert [line["rl/step"] for line in metrics(run)] == [0, 1, 2, 3]
    for step in (1, 2, 3):
        assert task_ids(run, step) == task_ids(reference, step)
    for mine, other in zip(metrics(run), metrics(reference), strict=True):
        for name in ("rl/loss", "rl/gradient_norm", "train/python_functions/reward", "eval/instructions/reward"):
            assert (name in mine) == (name in other), (mine["rl/step"], name)
            assert mine.get(name, 0.0) == pytest.approx(other.get(name, 0.0), rel=1e-3, abs=1e-5), (
                mine["rl/step"],
                name,
            )


def test_resuming_a_finished_run_trains_on_when_its_budget_grows(tmp_path, rlpt):
    assert rlpt("train", *CHEAP, "tracker=none", "budget.steps=1").returncode == 0
    run = only_run(tmp_path)
    result = rlpt("train", f"resume={run}", "budget.steps=2")
    assert result.returncode == 0, result.stdout + result.stderr
    assert [line["rl/step"] for line in metrics(run)] == [0, 1, 2]


def test_ctrl_c_saves_and_says_how_to_go_on(tmp_path):
    process = start(tmp_path, "budget.steps=500", "checkpoint.every=1000")
    wait_for(lambda: any(tmp_path.glob("runs/*/*/rollouts/step-00001.*")), process)
    process.send_signal(signal.SIGINT)
    printed = process.communicate(timeout=120)[0]
    assert process.returncode == 130, printed
    run = only_run(tmp_path)
    assert f"rlpt train resume={run.relative_to(tmp_path)}" in printed or f"rlpt train resume={run}" in printed
    assert "Traceback" not in printed
    assert len(RunDir(run).checkpoint_steps()) == 1


def test_an_engine_that_dies_is_replaced_and_the_run_goes_on(tmp_path):
    process = start(tmp_path, "budget.steps=3")
    wait_for(lambda: any(tmp_path.glob("runs/*/*/rollouts/step-00001.*")), process)
    for engine in engines_of(process):
        os.kill(engine.pid, signal.SIGKILL)
    printed = process.communicate(timeout=400)[0]
    assert process.returncode == 0, printed
    assert "started again" in printed
    assert [line["rl/step"] for line in metrics(only_run(tmp_path))] == [0, 1, 2, 3]


def test_a_verifier_that_raises_does_not_end_the_run(tmp_path, rlpt):
    (tmp_path / "mine.py").write_text(RAISING)
    conf = tmp_path / "conf" / "verifier"
    conf.mkdir(parents=True)
    (conf / "raising.yaml").write_text("_target_: mine.Raising\n")
    result = rlpt(
        "train",
        *CHEAP,
        "tracker=none",
        "budget.steps=1",
        "domain=[arithmetic,instructions]",
        "verifier@domain.arithmetic.verifier=raising",
        "verification.max_failing_share=1",
        f"hydra.searchpath=[file://{tmp_path / 'conf'}]",
        env={"PYTHONPATH": str(tmp_path)},
    )
    assert result.returncode == 0, result.stdout + result.stderr
    last = metrics(only_run(tmp_path))[-1]
    assert last["train/arithmetic/unscored"] == 1.0
    assert "train/arithmetic/reward" not in last, "not scored is not 0"
    assert last["train/instructions/unscored"] == 0.0
