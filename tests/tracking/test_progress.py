"""The progress line says how a run goes, on a terminal and in a log file."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import IO

import pytest

from rlpt.records import Group
from rlpt.tracking.progress import (
    ProgressLine,
    StepProgress,
    format_duration,
    format_line,
    format_shares,
    time_left,
)
from rlpt.tracking.samples import sample_rows


def test_the_line_has_step_rewards_speed_shares_and_time_left():
    progress = StepProgress(
        step=3,
        steps=16,
        rewards={"arithmetic": 0.4531, "code": None},
        tokens_per_s=1412.3,
        seconds={"sample": 4.6, "score": 0.1, "update": 5.0, "sync": 0.1},
        step_s=10.0,
        left_s=130.0,
    )
    assert format_line(progress) == (
        "step  3/16 | arithmetic 0.45 code - | 1,412 tok/s | sample 46% score 1% update 50% sync 1% other 2% "
        "| 2:10 left"
    )


def test_shares_of_nothing_are_empty():
    assert format_shares({}, 0.0) == ""
    assert format_shares({"sample": 1.0}, 1.0) == "sample 100%"


@pytest.mark.parametrize(("seconds", "text"), [(0, "0:00"), (59.6, "1:00"), (3600, "1:00:00"), (90061, "25:01:01")])
def test_durations(seconds: float, text: str):
    assert format_duration(seconds) == text


def test_time_left_forgets_the_slow_first_step():
    assert time_left(0, 10, []) is None
    assert time_left(4, 10, [60.0, 10.0, 10.0, 11.0], after_s=5.0) == 6 * 10.5 + 5.0
    assert time_left(10, 10, [1.0]) == 0.0


def test_a_log_file_gets_one_plain_line_a_step():
    stream = io.StringIO()
    with ProgressLine(2, stream) as line:
        line.phase("sampling")
        line.step(1, {"[bold]x[/bold]": 0.5}, 10.0, {"sample": 1.0}, 2.0)
        line.step(2, {"[bold]x[/bold]": 0.75}, 10.0, {"sample": 1.0}, 2.0)
    assert stream.getvalue().splitlines() == [
        "step 1/2 | [bold]x[/bold] 0.50 | 10 tok/s | sample 50% other 50% | 0:02 left",
        "step 2/2 | [bold]x[/bold] 0.75 | 10 tok/s | sample 50% other 50% | 0:00 left",
    ]


def test_a_terminal_gets_a_line_that_changes_in_place(on_terminal: Callable[[Callable[[IO[str]], None]], str]):
    def write(terminal: IO[str]) -> None:
        with ProgressLine(2, terminal) as line:
            line.phase("sampling")
            line.step(1, {"[bold]x[/bold]": 0.5}, 10.0, {"sample": 1.0}, 2.0)
            line.phase("scoring")

    seen = on_terminal(write)
    assert "sampling ..." in seen
    assert "[bold]x[/bold] 0.50" in seen
    assert "scoring ..." in seen
    assert "\x1b[2K" in seen


def test_a_few_answers_of_each_domain_are_shown_of_different_tasks_first(make_group: Callable[..., Group]):
    groups = [make_group(0), make_group(1), make_group(2, "code", (None, 1.0, 0.0))]
    advantages = [[0.1, 0.2], [0.3, 0.4], [0.0, 0.5, -0.5]]
    rows = sample_rows(groups, advantages, per_domain=2)
    assert [(row["domain"], row["task_id"], row["advantage"]) for row in rows] == [
        ("arithmetic", "t0", 0.1),
        ("arithmetic", "t1", 0.3),
        ("code", "t2", 0.0),
        ("code", "t2", 0.5),
    ]
    assert rows[2]["reward"] is None
    assert sample_rows(groups, advantages, per_domain=0) == []
    assert sample_rows([], [], per_domain=3) == []
