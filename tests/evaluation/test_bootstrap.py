"""Intervals of means over tasks: what they promise at every size, and that they are always the same."""

from __future__ import annotations

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rlpt.evaluation.bootstrap import mean_interval

JEFFREYS = [(128, 77, 0.5151, 0.6836), (20, 3, 0.0442, 0.3472), (10, 9, 0.6206, 0.9890)]
"""Tasks, solved ones, and the 2.5 % and 97.5 % points of the Beta distribution (s + 1/2, n - s + 1/2)."""


@pytest.mark.parametrize(("n", "solved", "low", "high"), JEFFREYS)
def test_of_tasks_that_are_solved_or_not_it_is_jeffreys_interval(n: int, solved: int, low: float, high: float):
    found = mean_interval([1.0] * solved + [0.0] * (n - solved))
    assert found == pytest.approx((low, high), abs=0.012)


def test_the_same_values_give_the_same_interval_in_any_units_of_memory(monkeypatch: pytest.MonkeyPatch):
    values = [random.Random(0).random() for _ in range(50)]
    whole = mean_interval(values)
    assert mean_interval(values) == whole
    monkeypatch.setattr("rlpt.evaluation.bootstrap.MOST_NUMBERS", 1000)
    assert mean_interval(values) == pytest.approx(whole, abs=0.01)


def test_it_reaches_to_the_end_where_every_task_is_alike():
    low, high = mean_interval([1.0] * 3)
    assert high == 1.0
    assert low < 0.6
    low, high = mean_interval([0.0] * 128)
    assert low == 0.0
    assert 0.01 < high < 0.04


def test_more_confidence_is_a_wider_interval():
    values = [0.0, 0.5, 1.0] * 10
    narrow, wide = mean_interval(values, 0.8), mean_interval(values, 0.99)
    assert wide[0] < narrow[0] < 0.5 < narrow[1] < wide[1]


@given(st.lists(st.floats(-20, 20), min_size=1, max_size=30))
def test_it_holds_the_mean_also_of_rewards_beyond_zero_and_one(values: list[float]):
    low, high = mean_interval(values)
    mean = math.fsum(values) / len(values)
    assert low <= mean + 1e-9
    assert mean - 1e-9 <= high
    assert low < high


def test_no_task_has_no_mean():
    with pytest.raises(ValueError, match="no task"):
        mean_interval([])


@pytest.mark.parametrize("n", [5, 10, 30])
@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
@pytest.mark.parametrize("samples", [1, 4])
def test_the_true_mean_lies_inside_as_often_as_promised(n: int, share: float, samples: int):
    # Efron's percentile bootstrap covers 40 % in the cell n = 5, share = 0.1, one sample.
    draw = random.Random(1)
    runs = 300
    inside = 0
    for _ in range(runs):
        chances = [share if samples == 1 else draw.betavariate(2 * share, 2 * (1 - share)) for _ in range(n)]
        values = [sum(draw.random() < chance for _ in range(samples)) / samples for chance in chances]
        low, high = mean_interval(values)
        inside += low <= share <= high
    assert inside / runs > 0.95 - 0.045  # three and a half standard errors of the simulation
