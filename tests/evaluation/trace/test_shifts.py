"""What changed in a window, measured by how much it varies anyway."""

from __future__ import annotations

import math

import pytest

from rlpt.evaluation.trace.shifts import Shift, shifts


def rows(name: str, values: list[float | None]) -> list[dict[str, float | None]]:
    return [{"rl/step": step, name: value} for step, value in enumerate(values)]


def one(name: str, values: list[float | None], good: int, bad: int) -> Shift:
    (found,) = shifts(rows(name, values), good, bad, ["d"])
    return found


def test_a_jump_is_told_from_the_usual_wobble() -> None:
    wobble = [9.0] + [1.0, 2.0] * 5
    still = one("train/d/length", [*wobble, 1.0, 2.0, 1.0, 2.0], 10, 14)
    assert abs(still.size) < 0.2
    jump = one("train/d/length", [*wobble, 6.0, 7.0, 6.0, 7.0], 10, 14)
    assert (jump.metric, jump.before, jump.after) == ("length", pytest.approx(1.6), 6.5)
    assert jump.size == pytest.approx((6.5 - 1.6) / math.sqrt(0.5))


def test_only_steps_near_the_window_are_looked_at() -> None:
    values = [100.0] * 10 + [1.0, 2.0, 1.0, 2.0, 1.5] + [1.0, 2.0, 1.0]
    assert one("train/d/reward", values, 14, 17).before == pytest.approx(1.5)


def test_a_window_that_begins_with_the_run_is_halved() -> None:
    found = one("train/d/reward", [None, 0.0, 0.1, 0.0, 0.8, 0.9, 0.8], 0, 6)
    assert (found.before, found.after) == (pytest.approx(0.1 / 3), pytest.approx(2.5 / 3))


def test_what_never_varied_is_infinitely_large_and_what_was_seen_once_unknown() -> None:
    assert one("train/d/task_share", [0.5] * 6 + [0.1] * 3, 5, 8).size == -math.inf
    assert one("probe/d/kl", [None, None, 0.1, None, 0.4], 3, 4) == Shift("d", "probe/kl", 0.1, 0.4, None)


def test_the_largest_change_comes_first_whatever_its_direction() -> None:
    table = [
        {"rl/step": step, "train/d/reward": 0.1 * (step % 2), "train/e/length": 5 + step % 2 - 9 * (step > 6)}
        for step in range(12)
    ]
    assert [(shift.domain, shift.metric) for shift in shifts(table, 6, 11, ["d", "e"])] == [
        ("e", "length"),
        ("d", "reward"),
    ]
