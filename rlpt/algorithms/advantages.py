"""Advantage estimators: from one reward a rollout to one advantage a rollout.

Every estimator has the signature `(rewards [N], groups [N], valid [N]) -> advantages [N]`, where `groups` holds the
number of the group that a rollout belongs to and `valid` is False where a rollout has no reward or no action
token, or a filter has taken it out. Such a rollout gets 0 and moves no baseline. The result is float64.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from rlpt.errors import UserError


def group_normalized(rewards: Tensor, groups: Tensor, valid: Tensor, *, eps: float = 1e-6) -> Tensor:
    """GRPO: `(r - mean) / (std + eps)` within the group, std with Bessel's correction.

    A group whose rewards are all equal gets exactly 0: dividing its rounding error by its std would not.
    Source: DeepSeekMath (arXiv:2402.03300), section 4.1.2.
    """
    rewards, own = _by_group(rewards, groups, valid)
    return ((rewards - own.mean) / (own.std + eps)).where(valid & ~own.equal, 0.0)


def group_centered(rewards: Tensor, groups: Tensor, valid: Tensor) -> Tensor:
    """Dr. GRPO: `r - mean` within the group. Source: arXiv:2503.20783, section 3.2.

    Also the first step of REINFORCE++-baseline (arXiv:2501.03262), which `normalization.batch` completes.
    """
    rewards, own = _by_group(rewards, groups, valid)
    return (rewards - own.mean).where(valid & ~own.equal, 0.0)


def leave_one_out(rewards: Tensor, groups: Tensor, valid: Tensor) -> Tensor:
    """RLOO: `r - mean of the group's other rewards`. Source: arXiv:2402.14740, equation 8."""
    rewards, own = _by_group(rewards, groups, valid)
    others = (own.count - 1).clamp(min=1)
    return ((rewards - own.mean) * own.count / others).where(valid & ~own.equal, 0.0)


def mean_normalized(rewards: Tensor, groups: Tensor, valid: Tensor) -> Tensor:
    """MaxRL: `(r - mean) / mean` within the group, so that a task weighs by one over its pass rate.

    A group without any success has a mean of 0 and gets 0. Source: arXiv:2602.02710, the estimator with its control
    variate: the mean score of the successful rollouts less that of all.

    Raises:
        UserError: where a reward is negative; the mean is then no pass rate.
    """
    rewards, own = _by_group(rewards, groups, valid)
    if bool((rewards < 0.0).any()):
        raise UserError(
            f"MaxRL divides by the mean reward of a task and a reward is {float(rewards.min()):g}; use verifiers whose "
            "rewards are 0 or more, or another rule such as algorithm/advantage=group_normalized."
        )
    return ((rewards - own.mean) / own.mean).where(valid & ~own.equal, 0.0)


def batch_centered(rewards: Tensor, groups: Tensor, valid: Tensor) -> Tensor:
    """REINFORCE with the mean reward of the whole batch as baseline; groups of one are welcome."""
    return group_centered(rewards, torch.zeros_like(groups), valid)


def reward_itself(rewards: Tensor, groups: Tensor, valid: Tensor) -> Tensor:
    """REINFORCE++ before its normalisation, and REINFORCE without a baseline: the reward.

    Source: REINFORCE++ (arXiv:2501.03262); Williams (1992).
    """
    return _by_group(rewards, groups, valid)[0]


def minus_greedy(rewards: Tensor, groups: Tensor, valid: Tensor, *, greedy: Tensor) -> Tensor:
    """ReMax: the reward less `greedy [N]`, that of the answer that the policy gives to the task without chance.

    Source: arXiv:2310.10505, equation 4 and algorithm 1.
    """
    return (_by_group(rewards, groups, valid)[0] - greedy.to(torch.float64)).where(valid, 0.0)


@dataclass(frozen=True, slots=True)
class _Statistics:
    """Per rollout `[N]`: count, mean and std of the valid rewards in its group, and whether they are all equal."""

    count: Tensor
    mean: Tensor
    std: Tensor
    equal: Tensor


def _by_group(rewards: Tensor, groups: Tensor, valid: Tensor) -> tuple[Tensor, _Statistics]:
    if not rewards.shape == groups.shape == valid.shape:
        raise ValueError(
            f"one reward, group and valid flag for each rollout: got {tuple(rewards.shape)}, {tuple(groups.shape)}, "
            f"{tuple(valid.shape)}"
        )
    rewards = rewards.to(torch.float64).where(valid, 0.0)
    _, inverse = torch.unique(groups, return_inverse=True)
    weight = valid.to(torch.float64)
    totals = torch.zeros(int(inverse.max()) + 1 if len(inverse) else 0, dtype=torch.float64)
    count = totals.index_add(0, inverse, weight)
    mean = totals.index_add(0, inverse, rewards * weight) / count.clamp(min=1)
    square = totals.index_add(0, inverse, weight * (rewards - mean[inverse]) ** 2)
    std = (square / (count - 1).clamp(min=1)).sqrt()
    equal = all_equal(rewards, inverse, valid)
    return rewards, _Statistics(count[inverse], mean[inverse], std[inverse], equal)


def all_equal(rewards: Tensor, groups: Tensor, valid: Tensor) -> Tensor:
    """Per rollout `[N]`: whether the valid rewards of its group are all the same. One alone is the same as itself."""
    _, inverse = torch.unique(groups, return_inverse=True)
    infinity = torch.full((int(inverse.max()) + 1 if len(inverse) else 0,), torch.inf, dtype=torch.float64)
    rewards = rewards.to(torch.float64)
    low = infinity.scatter_reduce(0, inverse, rewards.where(valid, torch.inf), "amin")
    high = (-infinity).scatter_reduce(0, inverse, rewards.where(valid, -torch.inf), "amax")
    return (low >= high)[inverse]
