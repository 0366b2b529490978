"""Advantages: the rules that keep a group's signal honest."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from rlpt.algorithms.advantages import (
    batch_centered,
    group_centered,
    group_normalized,
    leave_one_out,
    mean_normalized,
    reward_itself,
)
from rlpt.errors import UserError

GROUP_ESTIMATORS = [group_normalized, group_centered, leave_one_out, mean_normalized]
ESTIMATORS = [*GROUP_ESTIMATORS, batch_centered]


def weigh(estimator, rewards, groups=None, valid=None):
    count = len(rewards)
    return estimator(
        torch.tensor(rewards, dtype=torch.float32),
        torch.tensor(groups or [0] * count),
        torch.tensor(valid if valid is not None else [True] * count),
    ).tolist()


@pytest.mark.parametrize("estimator", ESTIMATORS)
@pytest.mark.parametrize("rewards", [[1.0] * 4, [0.0] * 4, [0.1] * 8, [1e-8] * 3])
def test_equal_rewards_give_exactly_zero(estimator, rewards):
    assert weigh(estimator, rewards) == [0.0] * len(rewards)


def test_values_against_the_papers():
    rewards = [1.0, 0.0, 0.0, 1.0]
    std = (4 * 0.25 / 3) ** 0.5
    assert weigh(group_normalized, rewards) == pytest.approx([0.5 / std, -0.5 / std, -0.5 / std, 0.5 / std], rel=1e-5)
    assert weigh(group_centered, rewards) == pytest.approx([0.5, -0.5, -0.5, 0.5])
    assert weigh(leave_one_out, rewards) == pytest.approx([2 / 3, -2 / 3, -2 / 3, 2 / 3])


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_a_rollout_without_reward_gives_nothing_and_shifts_nobody(estimator):
    with_gap = weigh(estimator, [1.0, 77.0, 0.0, 1.0], valid=[True, False, True, True])
    alone = weigh(estimator, [1.0, 0.0, 1.0])
    assert with_gap == pytest.approx([alone[0], 0.0, alone[1], alone[2]])


@pytest.mark.parametrize("estimator", GROUP_ESTIMATORS)
def test_groups_do_not_mix(estimator):
    rewards = [1.0, 0.0, 1.0, 1.0, 0.0, 0.0]
    together = weigh(estimator, rewards, groups=[7, 7, 7, 3, 3, 3])
    assert together == pytest.approx(weigh(estimator, rewards[:3]) + weigh(estimator, rewards[3:]))


@pytest.mark.parametrize("estimator", GROUP_ESTIMATORS)
def test_a_group_of_one_gives_zero_not_nan(estimator):
    assert weigh(estimator, [1.0]) == [0.0]


def test_batch_baseline_serves_groups_of_one():
    assert weigh(batch_centered, [1.0, 0.0], groups=[0, 1]) == pytest.approx([0.5, -0.5])


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_one_reward_for_eight_rollouts_is_an_error(estimator):
    with pytest.raises(ValueError, match="one reward"):
        estimator(torch.tensor([1.0]), torch.zeros(8, dtype=torch.long), torch.ones(8, dtype=torch.bool))


def test_a_reward_by_itself_is_its_advantage():
    assert weigh(reward_itself, [1.0, 7.0, -0.5], valid=[True, False, True]) == [1.0, 0.0, -0.5]


def test_rewards_that_are_no_pass_rates_are_refused_where_they_must_be():
    with pytest.raises(UserError, match=r"-0\.5.*group_normalized"):
        weigh(mean_normalized, [1.0, -0.5])


@given(st.lists(st.floats(0, 100), min_size=2, max_size=8), st.randoms(use_true_random=False))
def test_order_does_not_matter(rewards, random):
    order = list(range(len(rewards)))
    random.shuffle(order)
    for estimator in ESTIMATORS:
        straight = weigh(estimator, rewards)
        shuffled = weigh(estimator, [rewards[place] for place in order])
        assert shuffled == pytest.approx([straight[place] for place in order], abs=1e-6)
