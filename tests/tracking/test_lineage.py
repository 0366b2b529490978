"""lineage.jsonl: what became of the policy, also after a kill."""

from __future__ import annotations

from pathlib import Path

import pytest

from rlpt.errors import UserError
from rlpt.tracking.lineage import Lineage, read_lineage


def test_events_come_back_in_order(tmp_path: Path) -> None:
    path = tmp_path / "lineage.jsonl"
    lineage = Lineage(path)
    lineage.add(0, "evaluation")
    lineage.add(2, "rollback", {"to": 0})
    assert read_lineage(path) == [{"step": 0, "event": "evaluation"}, {"step": 2, "event": "rollback", "to": 0}]


def test_a_resumed_run_drops_what_is_about_to_happen_again(tmp_path: Path) -> None:
    path = tmp_path / "lineage.jsonl"
    for step in range(4):
        Lineage(path).add(step, "evaluation")
    with path.open("ab") as file:
        file.write(b'{"step": 3, "ev')  # killed while it wrote
    Lineage(path, keep_to_step=1).add(2, "evaluation")
    assert [event["step"] for event in read_lineage(path)] == [0, 1, 2]


def test_a_damaged_file_is_one_sentence(tmp_path: Path) -> None:
    path = tmp_path / "lineage.jsonl"
    path.write_text("{\n{}\n")
    with pytest.raises(UserError, match=r"lineage\.jsonl cannot be read"):
        read_lineage(path)


def test_what_may_happen_once_is_recorded_once(tmp_path: Path) -> None:
    lineage = Lineage(tmp_path / "lineage.jsonl")
    assert lineage.events("evaluation") == []
    for step, value in ((1, "a"), (1, "b"), (2, "c")):
        lineage.add_once(step, "evaluation", {"value": value})
    lineage.add(2, "checkpoint")
    assert [event["value"] for event in lineage.events("evaluation")] == ["a", "c"]
