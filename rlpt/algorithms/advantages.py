"""Advantage estimators: from one reward a rollout to one advantage a rollout.

Every estimator has the signature `(rewards [N], groups [N], valid [N]) -> advantages [N]`, where `groups` holds the
number of the group that a rollout belongs to and `valid` is False where a rollout has no reward or no action
token. Such a rollout gets 0 and moves no baseline. The result is float64.
"""

from __future__ import annotations

import torch
from torch import Tensor


def group_normalized(rewards: Tensor, groups: Tensor, valid: Tensor, *, eps: float = 1e-6) -> Tensor:
    """GRPO: `(r - mean) / (std + eps)` within the group, std with Bessel's correction.

    A group whose rewards are all equal gets exactly 0: dividing its rounding error by its std would not.
    Source: DeepSeekMath (arXiv:2402.03300), section 4.1.2.
    """
    rewards, statistics = _by_group(rewards, groups, valid)
    return _finish(rewards, statistics, valid, (rewards - statistics.mean) / (statistics.std + eps))


def group_centered(rewards: Tensor, groups: Tensor, valid: Tensor) -> Tensor:
    """Dr. GRPO: `r - mean` within the group. Source: arXiv:2503.20783, section 3.2."""
    rewards, statistics = _by_group(rewards, groups, valid)
    return _finish(rewards, statistics, valid, rewards - statistics.mean)


def leave_one_out(rewards: Tensor, groups: Tensor, valid: Tensor) -> Tensor:
    """RLOO: `r - mean of the group's other rewards`. Source: arXiv:2402.14740, equation 8."""
    rewards, statistics = _by_group(rewards, groups, valid)
    others = (statistics.count - 1).clamp(min=1)
    return _finish(rewards, statistics, valid, (rewards - statistics.mean) * statistics.count / others)


def batch_centered(rewards: Tensor, groups: Tensor, valid: Tensor) -> Tensor:
    """REINFORCE with the mean reward of the whole batch as baseline; groups of one are welcome."""
    return group_centered(rewards, torch.zeros_like(groups), valid)


class _Statistics:
    """Per rollout: the count, mean, std and spread of the valid rewards in its group."""

    def __init__(self, rewards: Tensor, groups: Tensor, valid: Tensor) -> None:
        _, inverse = torch.unique(groups, return_inverse=True)
        size = int(inverse.max()) + 1 if inverse.numel() else 0
        weight = valid.to(torch.float64)
        totals = torch.zeros(size, dtype=torch.float64)
        count = totals.index_add(0, inverse, weight)
        mean = totals.index_add(0, inverse, rewards * weight) / count.clamp(min=1)
        square = totals.index_add(0, inverse, weight * (rewards - mean[inverse]) ** 2)
        std = (square / (count - 1).clamp(min=1)).sqrt()
        infinity = torch.full((size,), torch.inf, dtype=torch.float64)
        low = infinity.scatter_reduce(0, inverse, rewards.where(valid, torch.inf), "amin")
        high = (-infinity).scatter_reduce(0, inverse, rewards.where(valid, -torch.inf), "amax")
        self.count, self.mean, self.std = count[inverse], mean[inverse], std[inverse]
        self.equal = (low >= high)[inverse]


def _by_group(rewards: Tensor, groups: Tensor, valid: Tensor) -> tuple[Tensor, _Statistics]:
    if not rewards.shape == groups.shape == valid.shape:
        raise ValueError(
            f"one reward, group and valid flag for each rollout: got {tuple(rewards.shape)}, {tuple(groups.shape)}, "
            f"{tuple(valid.shape)}"
        )
    rewards = rewards.to(torch.float64).where(valid, 0.0)
    return rewards, _Statistics(rewards, groups, valid)


def _finish(rewards: Tensor, statistics: _Statistics, valid: Tensor, advantages: Tensor) -> Tensor:
    return advantages.where(valid & ~statistics.equal, 0.0)
