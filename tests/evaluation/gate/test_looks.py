"""The levels of a run's evaluations."""

from __future__ import annotations

import random

import pytest

from rlpt.evaluation.gate.looks import look_level, look_levels


def test_half_is_for_the_last_and_the_rest_is_shared():
    assert look_levels(0.05, 1) == [0.05]
    assert look_levels(0.05, 2) == pytest.approx([0.025, 0.025])
    assert look_levels(0.05, 6) == pytest.approx([0.005] * 5 + [0.025])


def test_an_early_end_spends_what_is_left():
    assert look_level(0.05, spent=0.01, interim_left=3, final=True) == pytest.approx(0.04)


def test_beyond_the_plan_nothing_is_left():
    assert look_level(0.05, spent=0.025, interim_left=0, final=False) == 0.0
    assert look_level(0.05, spent=0.05, interim_left=0, final=True) == 0.0


def test_whatever_happens_alpha_is_the_most():
    rng = random.Random(0)
    for _ in range(200):
        spent = 0.0
        for _ in range(rng.randrange(30)):
            level = look_level(0.05, spent, rng.randrange(8), final=rng.random() < 0.05)
            assert level >= 0
            spent += level
        assert spent <= 0.05 + 1e-12


@pytest.mark.parametrize(("alpha", "spent", "left"), [(0.0, 0.0, 1), (1.0, 0.0, 1), (0.05, -0.01, 1), (0.05, 0.0, -1)])
def test_values_without_meaning_are_errors(alpha: float, spent: float, left: int):
    with pytest.raises(ValueError, match="make no level"):
        look_level(alpha, spent, left, final=False)
