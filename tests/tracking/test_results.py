"""Files of results give back what was written, or say that they are damaged."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest

from rlpt.errors import UserError
from rlpt.evaluation.sample import Sample, sample_from_json
from rlpt.tracking.results import read_results, write_results

SAMPLES = [
    Sample(
        "d",
        "t",
        0,
        "p",
        "half of a pair: \ud83d, none \x00\x1b",
        None,
        "infra_error",
        "x\n\u2028",
        {"format": 1.0, "a.b": 0.5},
    ),
    Sample("d", "t", 1, "", "", 0.1 + 0.2, "wrong", parts={}, tokens=7, finish_reason="length", answer=""),
    Sample(
        "d",
        "u",
        0,
        "p",
        "5",
        1.0,
        "correct",
        answer="\udc00",
        messages=[{"role": "tool", "content": "\ud83dx", "name": "t", "status": "ok"}],
    ),
]


def test_what_is_written_is_read_again(tmp_path: Path):
    path = tmp_path / "folder" / "results"
    write_results(path, [sample.to_json() for sample in SAMPLES])
    assert [sample_from_json(row) for row in read_results(path)] == SAMPLES
    write_results(path, [])
    assert read_results(path) == []


def test_a_reward_that_is_no_number_stays_one(tmp_path: Path):
    write_results(tmp_path / "results", [Sample("d", "t", 0, "", "", math.nan, "wrong").to_json()])
    assert math.isnan(read_results(tmp_path / "results")[0]["reward"])


@pytest.mark.parametrize(
    "damage", [lambda whole: whole[:-7], lambda whole: b"", lambda whole: whole[:40] + b"?" + whole[41:]]
)
def test_a_damaged_file_is_said_to_be(tmp_path: Path, damage: Any):
    path = tmp_path / "results"
    write_results(path, [sample.to_json() for sample in SAMPLES])
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(UserError, match="damaged"):
        read_results(path)
    with pytest.raises(UserError, match="does not exist"):
        read_results(tmp_path / "nothing")
