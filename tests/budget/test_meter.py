"""The meter counts over resumes and says when a budget is used up."""

from __future__ import annotations

import json
from dataclasses import dataclass

import pytest

from rlpt.budget.meter import Meter


@dataclass
class Limits:
    steps: int | None = None
    wall_s: float | None = None
    tokens: int | None = None


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


def test_tokens_operations_and_seconds_add_up():
    meter = Meter(parameters=10)
    meter.add_sampled(5)
    meter.add_step(100, 40, {"sample": 2.0, "update": 3.0})
    meter.add_step(100, 60, {"sample": 1.0})
    assert (meter.steps, meter.sampled_tokens, meter.trained_tokens) == (2, 205, 100)
    assert meter.seconds == {"sample": 3.0, "update": 3.0}
    assert meter.flops == 10 * (2 * 205 + 6 * 100)
    assert meter.totals()["budget/sampled_tokens"] == 205


@pytest.mark.parametrize(
    ("limits", "sentence"),
    [
        (Limits(), None),
        (Limits(steps=3, wall_s=51, tokens=101), None),
        (Limits(steps=2), "The budget is used up: budget.steps=2, used 2."),
        (Limits(wall_s=50), "The budget is used up: budget.wall_s=50 s, used 50 s."),
        (Limits(tokens=100), "The budget is used up: budget.tokens=100 sampled tokens, used 100 sampled tokens."),
        (Limits(steps=0), "The budget is used up: budget.steps=0, used 2."),
    ],
)
def test_the_first_limit_reached_is_named(limits: Limits, sentence: str | None):
    clock = Clock()
    meter = Meter(clock=clock)
    meter.add_step(50, 1, {})
    meter.add_step(50, 1, {})
    clock.now += 50
    assert meter.exceeded(limits) == sentence


def test_a_resume_goes_on_and_the_time_in_between_does_not_count():
    clock = Clock()
    first = Meter(parameters=3, clock=clock)
    first.add_step(10, 20, {"sample": 1.5})
    clock.now += 30
    state = json.loads(json.dumps(first.state_dict()))
    clock.now += 10_000
    second = Meter(parameters=3, clock=clock)
    second.load_state_dict(state)
    clock.now += 5
    second.add_step(10, 20, {"sample": 1.5})
    assert second.wall_s == 35
    assert (second.steps, second.sampled_tokens, second.trained_tokens) == (2, 20, 40)
    assert second.seconds == {"sample": 3.0}
