"""W&B mirrors the run offline, goes on after a resume, and never ends the run: read with W&B's own inspection."""

from __future__ import annotations

import json
import logging
import os
import signal
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from rlpt.evaluation.sample import Sample
from rlpt.records import Group
from rlpt.run_dir import RunDir
from rlpt.tracking.none import NoTracker
from rlpt.tracking.protocol import RunInfo
from rlpt.tracking.recorder import Recorder
from rlpt.tracking.wandb import WandbTracker
from rlpt.tracking.wandb_session import choose_mode, has_key
from tests.tracking.offline import history, inspect, of_type, offline_folders

pytest.importorskip("wandb")


pytestmark = pytest.mark.usefixtures("no_account")


def table_of(folder: Path, row: dict[str, Any], name: str) -> list[dict[str, Any]]:
    table = json.loads((folder / "files" / row[f"{name}.path"]).read_text())
    return [dict(zip(table["columns"], cells, strict=True)) for cells in table["data"]]


def evaluated(task: int, index: int = 0) -> dict[str, Any]:
    sample = Sample("arithmetic", f"t{task}", index, "user: 2 + 3 = ?", "5", 1.0, "correct")
    return sample.to_json()


def info(folder: Path, **changes: Any) -> RunInfo:
    values: dict[str, Any] = {
        "folder": folder,
        "name": "default",
        "config": {"algorithm": {"group_size": 8}, "domain": {"arithmetic": {"weight": 1.0}}, "folder": Path("a/b")},
        "tags": ["algorithm=grpo", "policy=smollm2"],
        "choices": {"algorithm": "grpo"},
    }
    return RunInfo(**(values | changes))


def test_an_offline_run_holds_config_metrics_samples_and_summary(
    tmp_path: Path, make_group: Callable[..., Group], capfd: pytest.CaptureFixture[str]
):
    recorder = Recorder(
        info(tmp_path), lambda given: WandbTracker(given, project="p", group="sweep-1", samples_per_step=1)
    )
    recorder.evaluation(0, [evaluated(0), evaluated(0, index=1), evaluated(1)], {"eval/arithmetic/reward": 0.25})
    for step in (1, 2):
        recorder.rollouts(step, [make_group(0), make_group(1), make_group(2, "code")], [[0.5, -0.5]] * 3)
        recorder.log(step, {"train/arithmetic/reward": step / 4, "rl/loss": float("nan")})
    recorder.log(2, {"eval/arithmetic/reward": 0.75, "regression/arithmetic": 0.5})
    recorder.moved(2, lambda most: [{"domain": "arithmetic", "task_id": "t3", "outcome": f"one of {most}"}])
    recorder.summary({"domains": {"arithmetic": {"delta": 0.5, "ci95": [0.4, 0.6]}}, "steps": 2})
    recorder.finish(0)

    assert recorder.tracker.failures == 0
    assert capfd.readouterr() == ("", "")
    assert recorder.tracker.location == str(tmp_path / "wandb")
    (folder,) = offline_folders(tmp_path)
    records = inspect(folder)

    (run,) = of_type(records, "run")
    assert run["project"] == "p"
    assert run["run_group"] == "sweep-1"
    assert run["job_type"] == "train"
    assert run["tags"] == ["algorithm=grpo", "policy=smollm2"]
    assert run["config"]["update"]["algorithm"] == {"group_size": 8}
    assert run["config"]["update"]["folder"] == "a/b"
    assert run["config"]["update"]["choices"] == {"algorithm": "grpo"}
    axes = {metric.get("name") or metric["glob_name"]: metric for metric in of_type(records, "metric")}
    assert axes["rl/step"]["options"]["hidden"]
    assert axes["*"]["step_metric"] == axes["eval/arithmetic/reward"]["step_metric"] == "rl/step"

    rows = history(records)
    assert [row["rl/step"] for row in rows] == [0, 1, 2]
    assert [row["_step"] for row in rows] == [0, 1, 2]
    assert [row.get("eval/arithmetic/reward") for row in rows] == [0.25, None, 0.75]
    assert [row.get("train/arithmetic/reward") for row in rows] == [None, 0.25, 0.5]
    assert rows[2]["regression/arithmetic"] == 0.5

    cells = table_of(folder, rows[1], "samples/train")
    assert [cell["domain"] for cell in cells] == ["arithmetic", "code"]
    assert cells[0]["prompt"] == "system: Think.\n\nuser: 2 + 3 = ?"
    assert cells[0]["reward"] == 1.0
    assert cells[0]["advantage"] == 0.5
    assert "\\ud83d" in cells[0]["answer"]
    assert [cell["task_id"] for cell in table_of(folder, rows[0], "samples/eval")] == ["t0"]
    assert [cell["outcome"] for cell in table_of(folder, rows[2], "samples/moved")] == ["one of 5"]

    last = {key: value for update in of_type(records, "summary") for key, value in update["update"].items()}
    assert last["steps"] == 2
    assert last["domains"]["arithmetic"] == {"delta": 0.5, "ci95": [0.4, 0.6]}
    assert last["eval/arithmetic/reward"] == {"min": 0.25, "max": 0.75, "last": 0.75}
    assert [end["exit_code"] for end in of_type(records, "exit")] == [0]


def test_everything_of_wandb_lies_in_the_run_directory(tmp_path: Path, make_group: Callable[..., Group]):
    run = tmp_path / "run"
    tracker = WandbTracker(info(run))
    tracker.log_table(1, "samples/train", [{"domain": "a", "answer": "x"}])
    tracker.finish(0)
    assert [path for path in tmp_path.rglob("*") if path.is_file() and run not in path.parents] == []
    assert not {name for name in os.environ if name in ("WANDB_DATA_DIR", "WANDB_CACHE_DIR")}


def test_a_resumed_run_goes_on_under_the_same_id_without_steps_going_back(tmp_path: Path):
    make = WandbTracker
    first = Recorder(info(tmp_path), make)
    for step in range(8):
        first.log(step, {"x": step})
    first.finish(1)
    second = Recorder(info(tmp_path, start_step=5), make)
    for step in range(6, 10):
        second.log(step, {"x": step})
    second.finish(0)
    assert second.tracker.failures == 0

    before, after = map(inspect, offline_folders(tmp_path))
    assert [row["rl/step"] for row in history(before)] == list(range(8))
    assert [row["rl/step"] for row in history(after)] == [8, 9]
    assert of_type(before, "run")[0]["run_id"] == of_type(after, "run")[0]["run_id"]


def test_summaries_of_a_resumed_run_are_those_of_all_its_steps(tmp_path: Path):
    name = "eval/arithmetic/reward"
    first = Recorder(info(tmp_path), WandbTracker)
    for step, reward in enumerate([0.9, 0.1, 0.5]):
        first.log(step, {name: reward})
    first.finish(1)
    second = Recorder(info(tmp_path, start_step=2), WandbTracker)
    second.log(3, {name: 0.6})
    second.finish(0)
    after = inspect(offline_folders(tmp_path)[1])
    last = {key: value for update in of_type(after, "summary") for key, value in update["update"].items()}
    assert last[name] == {"min": 0.1, "max": 0.9, "last": 0.6}


def test_a_run_that_starts_over_before_its_first_checkpoint_sends_no_step_twice(tmp_path: Path):
    for _ in range(2):
        recorder = Recorder(info(tmp_path), WandbTracker)
        for step in range(3):
            recorder.log(step, {"x": step})
        recorder.finish(1)
    rows = [row["rl/step"] for folder in offline_folders(tmp_path) for row in history(inspect(folder))]
    assert rows == [0, 1, 2]


def test_what_a_kill_took_from_wandb_is_sent_after_the_resume(tmp_path: Path):
    program = """
        import os, signal, subprocess, sys, time
        from pathlib import Path
        from rlpt.tracking.protocol import RunInfo
        from rlpt.tracking.recorder import Recorder
        from rlpt.tracking.wandb import WandbTracker
        recorder = Recorder(RunInfo(folder=Path(sys.argv[1]), name="n", config={}), WandbTracker)
        for step in range(7):
            recorder.log(step, {"x": step})
        core, = subprocess.run(["pgrep", "-P", str(os.getpid()), "wandb-core"], capture_output=True).stdout.split()
        os.kill(int(core), signal.SIGKILL)
        os.kill(os.getpid(), signal.SIGKILL)
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(program), str(tmp_path)], check=False)
    assert done.returncode == -signal.SIGKILL
    second = Recorder(info(tmp_path, start_step=5), WandbTracker)
    for step in range(6, 9):
        second.log(step, {"x": 10 * step})
    second.finish(0)
    before, after = (
        [(row["rl/step"], row["x"]) for row in history(inspect(folder))] for folder in offline_folders(tmp_path)
    )
    steps = [step for step, _ in before + after]
    assert steps == list(range(9))
    assert all(x == (step if step <= 5 else 10 * step) for step, x in after)


@pytest.mark.parametrize("blow", ["SIGKILL", "SIGSTOP"])
def test_wandb_dying_or_hanging_does_not_end_or_hold_the_run(tmp_path: Path, blow: str):
    program = """
        import os, signal, subprocess, sys
        from pathlib import Path
        import rlpt.tracking.wandb as module
        from rlpt.tracking.protocol import RunInfo
        from rlpt.tracking.recorder import Recorder
        module.FINISH_TIMEOUT_S["offline"] = 3.0
        recorder = Recorder(RunInfo(folder=Path(sys.argv[1]), name="n", config={}), module.WandbTracker)
        recorder.log(0, {"x": 0})
        core, = subprocess.run(["pgrep", "-P", str(os.getpid()), "wandb-core"], capture_output=True).stdout.split()
        os.kill(int(core), getattr(signal, sys.argv[2]))
        for step in range(1, 5):
            recorder.log(step, {"x": step})
            recorder.tracker.log_table(step, "samples/train", [{"domain": "a", "answer": "b"}])
        recorder.summary({"steps": 4})
        recorder.finish(0)
        print("failures", recorder.tracker.failures, "core", int(core))
    """
    # Files, not pipes: W&B's process inherits them, and a stopped one never closes them.
    out, err = tmp_path / "out", tmp_path / "err"
    with out.open("w") as stdout, err.open("w") as stderr:
        command = [sys.executable, "-c", textwrap.dedent(program), str(tmp_path), blow]
        done = subprocess.run(command, stdout=stdout, stderr=stderr, timeout=120, check=False)
    _, failures, _, core = out.read_text().split()
    if blow == "SIGSTOP":
        os.kill(int(core), signal.SIGKILL)
    said = err.read_text()
    assert done.returncode == 0, said
    assert int(failures) >= 1
    assert said.count("The run goes on") == 1
    assert "Traceback" not in said
    assert [json.loads(line)["x"] for line in (tmp_path / "metrics.jsonl").read_text().splitlines()] == list(range(5))
    assert json.loads((tmp_path / "summary.json").read_text()) == {"steps": 4}


def test_wandb_that_cannot_start_is_reported_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
):
    (tmp_path / "wandb").write_text("a file where W&B wants its folder")
    with caplog.at_level(logging.WARNING, "rlpt.tracking"):
        recorder = Recorder(info(tmp_path), WandbTracker)
        recorder.log(0, {"x": 1})
        recorder.log(1, {"x": 1})
        recorder.finish(0)
    assert len(caplog.records) == 1
    assert "all is recorded in" in caplog.text
    assert recorder.tracker.failures == 4
    rows = [json.loads(line) for line in RunDir(tmp_path).metrics.read_text().splitlines()]
    assert [row["tracker/failures"] for row in rows] == [1, 2]


def test_a_row_that_wandb_refuses_costs_only_itself(tmp_path: Path):
    tracker = WandbTracker(info(tmp_path))
    tracker.log(0, {"x": 1.0})
    tracker.log(1, {1: 2.0})  # type: ignore[dict-item]
    tracker.log(2, {"x": 3.0})
    tracker.finish(0)
    assert tracker.failures == 1
    assert [row["rl/step"] for row in history(inspect(offline_folders(tmp_path)[0]))] == [0, 2]


def test_disabled_records_nothing(tmp_path: Path):
    tracker = WandbTracker(info(tmp_path), mode="disabled")
    tracker.log(0, {"x": 1.0})
    tracker.summary({"x": 1})
    tracker.finish(0)
    assert tracker.failures == 0
    assert offline_folders(tmp_path) == []
    assert "WANDB_DATA_DIR" not in os.environ


def test_online_without_a_key_is_recorded_offline_and_said(tmp_path: Path, caplog: pytest.LogCaptureFixture):
    tracker = WandbTracker(info(tmp_path), mode="online")
    tracker.log(0, {"x": 1.0})
    tracker.finish(0)
    assert "no W&B key" in caplog.text
    assert tracker.failures == 0
    assert len(offline_folders(tmp_path)) == 1


def test_a_server_that_cannot_be_reached_is_recorded_offline_and_said(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("WANDB_BASE_URL", "http://127.0.0.1:9")
    monkeypatch.setenv("WANDB_API_KEY", "0" * 40)
    monkeypatch.setattr("rlpt.tracking.wandb.INIT_TIMEOUT_S", 3.0)
    tracker = WandbTracker(info(tmp_path), mode="auto")
    tracker.log(0, {"x": 1.0})
    tracker.finish(0)
    assert "recorded offline" in caplog.text
    assert tracker.failures == 0
    assert [row["x"] for folder in offline_folders(tmp_path) for row in history(inspect(folder))] == [1.0]


def test_the_mode_follows_key_config_and_environment():
    assert choose_mode("auto", {}, lambda: True) == "online"
    assert choose_mode("auto", {}, lambda: False) == "offline"
    assert choose_mode("online", {}, lambda: False) == "offline"
    assert choose_mode("auto", {"WANDB_MODE": "offline"}, lambda: True) == "offline"
    assert choose_mode("auto", {"WANDB_MODE": "disabled"}, lambda: True) == "disabled"
    assert choose_mode("online", {"WANDB_MODE": "offline"}, lambda: True) == "online"


def test_a_key_is_found_for_the_right_server_only(tmp_path: Path):
    netrc = tmp_path / "netrc"
    netrc.write_text("machine wandb.example login user password secret\n")
    environ = {"NETRC": str(netrc)}
    assert has_key(environ, "https://wandb.example")
    assert not has_key(environ, "https://api.wandb.ai")
    assert has_key({**environ, "WANDB_API_KEY": "x"}, "https://api.wandb.ai")
    netrc.write_text("not a netrc file {{{")
    assert not has_key(environ, "https://wandb.example")


def test_no_tracker_takes_everything(tmp_path: Path):
    recorder = Recorder(info(tmp_path), NoTracker)
    recorder.log(0, {"x": 1.0})
    recorder.summary({"x": 1})
    recorder.finish(0)
    assert {path.name for path in tmp_path.iterdir()} == {"metrics.jsonl", "summary.json"}
