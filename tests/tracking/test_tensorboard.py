"""TensorBoard's event files hold what the local record holds, and a resumed run shows every step once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from rlpt.config.extras import check_extras, require
from rlpt.config.preflight import compose_config
from rlpt.errors import UserError
from rlpt.records import Group
from rlpt.tracking.metrics_log import read_metrics
from rlpt.tracking.protocol import RunInfo
from rlpt.tracking.recorder import Recorder
from rlpt.tracking.tensorboard import TensorBoardTracker
from rlpt.tracking.tensorboard_texts import as_code, flat


@pytest.fixture
def installed(need: Callable[[str | None], None]) -> None:
    from importlib.util import find_spec

    need(None if find_spec("tensorboard") else "tensorboard is not installed")


def info(folder: Path, start_step: int = 0) -> RunInfo:
    config = {"algorithm": {"group_size": 8, "critic": None}, "domain": {"arithmetic": {}}}
    return RunInfo(folder, "default", config, tags=["algorithm=grpo"], start_step=start_step)


def shown(run: Path) -> Any:
    """What TensorBoard shows of the run, read with its own reader."""
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    events = EventAccumulator(str(run / "tensorboard"), size_guidance={"scalars": 0, "tensors": 0})
    return events.Reload()


def texts(events: Any, name: str) -> dict[int, str]:
    return {event.step: event.tensor_proto.string_val[0].decode() for event in events.Tensors(f"{name}/text_summary")}


def test_it_has_the_same_numbers_as_the_local_record_and_the_texts(
    installed: None, tmp_path: Path, make_group: Callable[..., Group]
) -> None:
    recorder = Recorder(info(tmp_path), TensorBoardTracker)
    recorder.log(0, {"eval/arithmetic/reward": 0.25})
    recorder.rollouts(1, [make_group(0), make_group(1, "code")], [[0.5, -0.5]] * 2)
    recorder.log(1, {"train/arithmetic/reward": 0.5, "eval/arithmetic/reward": 0.75})
    recorder.summary({"steps": 1})
    recorder.finish(0)
    recorder.finish(0)

    assert recorder.tracker.failures == 0
    assert recorder.tracker.location == str(tmp_path / "tensorboard")
    events = shown(tmp_path)
    for row in read_metrics(tmp_path / "metrics.jsonl"):
        for name, value in row.items():
            if name not in ("rl/step", "tracker/failures"):
                assert [event.value for event in events.Scalars(name) if event.step == row["rl/step"]] == [value]
    answer = texts(events, "samples/train/code")[1]
    assert "2 + 3 = ?" in answer
    assert "\\ud83d" in answer
    assert "group_size: 8" in texts(events, "config")[0]
    assert '"steps": 1' in texts(events, "summary")[1]
    from tensorboard.plugins.hparams.plugin_data_pb2 import HParamsPluginData

    data = events.SummaryMetadata("_hparams_/session_start_info").plugin_data.content
    chosen = HParamsPluginData.FromString(data).session_start_info.hparams
    assert chosen["algorithm.group_size"].number_value == 8
    assert chosen["algorithm.critic"].string_value == "None"


def test_what_a_resumed_run_does_again_takes_the_place_of_what_was_there(installed: None, tmp_path: Path) -> None:
    first = Recorder(info(tmp_path), TensorBoardTracker)
    for step in range(8):
        first.log(step, {"x": step})
    first.finish(1)
    second = Recorder(info(tmp_path, start_step=5), TensorBoardTracker)
    for step in (6, 7, 8):
        second.log(step, {"x": 10 * step})
    second.finish(0)
    found = [(event.step, event.value) for event in shown(tmp_path).Scalars("x")]
    assert found == [(row["rl/step"], row["x"]) for row in read_metrics(tmp_path / "metrics.jsonl")]
    assert [step for step, _ in found] == list(range(9))


def test_a_killed_run_has_every_step_that_it_logged(installed: None, tmp_path: Path) -> None:
    recorder = Recorder(info(tmp_path), TensorBoardTracker)
    for step in range(3):
        recorder.log(step, {"x": step})
    assert [event.step for event in shown(tmp_path).Scalars("x")] == [0, 1, 2]
    recorder.finish(0)


def test_a_folder_that_cannot_be_written_is_said_once_and_ends_nothing(
    installed: None, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "tensorboard").write_text("a file where the folder should be")
    recorder = Recorder(info(tmp_path), TensorBoardTracker)
    recorder.log(0, {"x": 1.0})
    recorder.finish(0)
    assert recorder.tracker.failures >= 1
    assert caplog.text.count("The run goes on") == 1
    assert [row["x"] for row in read_metrics(tmp_path / "metrics.jsonl")] == [1.0]


def test_a_missing_package_is_named_with_its_extra() -> None:
    with pytest.raises(UserError, match=r"this needs the package no-such; install it with: pip install 'rlpt\[mine\]'"):
        require("no_such", "mine", "this")


def test_the_option_composes_and_is_checked_before_a_run(monkeypatch: pytest.MonkeyPatch) -> None:
    cfg = compose_config("train", ["tracker=tensorboard"])
    monkeypatch.setattr("rlpt.config.extras.find_spec", lambda name: None)
    with pytest.raises(UserError, match=r"rlpt\[tensorboard\]"):
        check_extras(cfg)
    check_extras(compose_config("train", ["tracker=none"]))


def test_texts_and_settings_are_plain() -> None:
    assert as_code("# no heading\n\nx") == "    # no heading\n    \n    x"
    assert flat({"a": {"b": 1, "c": [1, 2]}, "d": None, "e": True}) == {
        "a.b": 1,
        "a.c": "[1, 2]",
        "d": "None",
        "e": True,
    }
