"""Dynamic sampling: rounds go on until the step has its groups, and end with an error that says why it has not."""

from __future__ import annotations

from dataclasses import replace

import pytest

from rlpt.errors import UserError
from rlpt.records import Group
from rlpt.training.gathering import Gathering
from tests.training.stepping import GRPO, group

RESAMPLE = replace(GRPO, filters=replace(GRPO.filters, equal_groups="resample", max_rounds=3))


def named(name: str, *rewards: float | None) -> Group:
    return group(name, [1], [[2], [3]], rewards)


GOOD, EASY, HARD, LOST = (0.0, 1.0), (1.0, 1.0), (0.0, 0.0), (None, None)


def test_one_round_is_all_where_nothing_is_resampled() -> None:
    gathering = Gathering(1, 3, GRPO, version=0)
    assert not gathering.full
    gathering.add([named("a", *EASY)])
    assert gathering.full
    assert len(gathering.groups) == 1
    assert gathering.metrics() == {"rl/sampling_rounds": 1.0}


def test_rounds_go_on_until_enough_groups_differ() -> None:
    gathering = Gathering(1, 2, RESAMPLE, version=0)
    gathering.add([named("a", *EASY), named("b", *GOOD)])
    assert not gathering.full
    gathering.add([named("c", *LOST), named("d", *GOOD), named("e", *GOOD)])
    assert gathering.full
    assert [one.group_id for one in gathering.groups] == ["b", "d"]
    metrics = gathering.metrics()
    assert metrics["rl/sampling_rounds"] == 2.0
    assert metrics["train/d/reward"] == pytest.approx((2 + 1 + 1 + 1) / 8), (
        "what was thrown away is part of the mean reward"
    )


def test_a_batch_that_never_fills_stops_with_an_error_that_says_why() -> None:
    gathering = Gathering(7, 2, RESAMPLE, version=0)
    gathering.add([named("a", *HARD), named("b", *HARD)])
    gathering.add([named("c", *GOOD), named("d", *EASY)])
    with pytest.raises(UserError) as caught:
        gathering.add([named("e", *LOST), named("f", *HARD)])
    said = str(caught.value)
    assert "\n" not in said
    for part in ("Step 7", "needs 2", "found 1", "6 tasks of 3 rounds", "in 3 every sample got 0"):
        assert part in said
    for part in ("in 1 every sample got 1", "in 1 none was scored", "max_rounds", "algorithm/filters=drop_equal"):
        assert part in said


def test_rollouts_that_a_filter_takes_out_make_no_difference() -> None:
    recipe = replace(RESAMPLE, filters=replace(RESAMPLE.filters, mask_truncated=True))
    gathering = Gathering(1, 1, recipe, version=0)
    gathering.add([group("cut", [1], [[2], [3]], GOOD, finish="length")])
    assert not gathering.full
