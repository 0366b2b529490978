"""The run directory holds everything, and a resume leaves nothing of the future behind."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from rlpt.errors import UserError
from rlpt.records import Group
from rlpt.run_dir import RunDir, open_run
from rlpt.tracking.files import read_jsonl_zst
from rlpt.tracking.local import LocalRecord, read_rollouts
from rlpt.tracking.metrics_log import read_metrics


def test_groups_come_back_with_their_advantages(tmp_path: Path, make_group: Callable[..., Group]):
    groups = [make_group(0), make_group(1, "instructions", (None, 1.0, 0.0))]
    record = LocalRecord(RunDir(tmp_path))
    record.rollouts(1, groups, [[0.5, -0.5], [0.0, 1.0, -1.0]])
    assert RunDir(tmp_path).rollouts(1).name == "step-00001.jsonl.zst"
    assert list(read_rollouts(RunDir(tmp_path).rollouts(1))) == [
        (groups[0], [0.5, -0.5]),
        (groups[1], [0.0, 1.0, -1.0]),
    ]


def test_what_was_said_comes_back_and_records_from_before_still_load(tmp_path: Path, make_group: Callable[..., Group]):
    group = make_group(0)
    said = [{"role": "assistant", "content": "call"}, {"role": "tool", "name": "t", "content": "5", "status": "ok"}]
    talking = replace(group, rollouts=[replace(group.rollouts[0], messages=said), group.rollouts[1]])
    LocalRecord(RunDir(tmp_path)).rollouts(1, [talking], [[0.5, -0.5]])
    ((read, _),) = read_rollouts(RunDir(tmp_path).rollouts(1))
    assert read == talking
    rows = list(read_jsonl_zst(RunDir(tmp_path).rollouts(1)))
    assert "messages" not in rows[0]["rollouts"][1], "as in records from before there were any"


def test_every_rollout_needs_its_advantage(tmp_path: Path, make_group: Callable[..., Group]):
    record = LocalRecord(RunDir(tmp_path))
    with pytest.raises(ValueError, match="3 advantages for 2 rollouts"):
        record.rollouts(1, [make_group()], [[0.0, 1.0, 2.0]])
    with pytest.raises(ValueError, match="2 groups for 1 groups"):
        record.rollouts(1, [make_group()], [[0.0, 1.0], [1.0]])
    assert RunDir(tmp_path).rollout_steps() == []


def test_a_resume_drops_steps_after_the_checkpoint_everywhere(tmp_path: Path, make_group: Callable[..., Group]):
    run = RunDir(tmp_path)
    first = LocalRecord(run)
    first.evaluation(0, [{"domain": "arithmetic"}])
    first.log(0, {"x": 0})
    for step in range(1, 5):
        first.log(step, {"x": step})
        first.rollouts(step, [make_group()], [[0.0, 0.0]])
    first.evaluation(4, [])
    second = LocalRecord(run, start_step=2)
    assert second.run.rollout_steps() == [1, 2]
    assert run.evaluation_steps() == [0]
    assert [row["rl/step"] for row in read_metrics(run.metrics)] == [0, 1, 2]


def test_half_written_files_are_not_steps(tmp_path: Path):
    (tmp_path / "rollouts").mkdir()
    (tmp_path / "rollouts" / ".step-00003.jsonl.zst.abc").write_text("")
    (tmp_path / "rollouts" / "step-00002.jsonl.zst").write_text("")
    (tmp_path / "rollouts" / "step-123456.jsonl.zst").write_text("")
    assert RunDir(tmp_path).rollout_steps() == [2, 123456]


def test_the_summary_is_json(tmp_path: Path):
    LocalRecord(RunDir(tmp_path)).summary({"domains": {"a": {"ci95": [0.1, 0.2]}}, "steps": 3})
    assert json.loads((tmp_path / "summary.json").read_text())["domains"]["a"]["ci95"] == [0.1, 0.2]


def test_what_is_no_run_is_named_with_the_way_out(tmp_path: Path):
    with pytest.raises(UserError, match="no such folder"):
        open_run(tmp_path / "absent")
    (tmp_path / "file").write_text("")
    with pytest.raises(UserError, match="is a file"):
        open_run(tmp_path / "file")
    with pytest.raises(UserError, match=r"holds config\.yaml"):
        open_run(tmp_path)
    (tmp_path / "day" / "run").mkdir(parents=True)
    (tmp_path / "day" / "run" / "config.yaml").write_text("")
    with pytest.raises(UserError, match=r"newest run in it is .*day/run"):
        open_run(tmp_path)
    assert open_run(tmp_path / "day" / "run").root == tmp_path / "day" / "run"
