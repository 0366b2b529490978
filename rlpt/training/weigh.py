"""From scored groups to the advantage and the loss weight of every rollout of a step. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from rlpt.records import Group, Rollout, Verdict
from rlpt.training.recipe import Recipe


@dataclass(frozen=True, slots=True)
class Weighed:
    """For the `N` rollouts of a step, in the order of their groups.

    `advantages [N]` and `weights [N]` (of each action token in the loss) are fp32. `contributes [N]` is False where a
    rollout takes no part. `update [N]` is the number of the optimizer update that a rollout belongs to.
    """

    advantages: Tensor
    weights: Tensor
    contributes: Tensor
    update: Tensor

    def by_group(self, groups: Sequence[Group]) -> list[list[float]]:
        """The advantages as one list a group."""
        return [part.tolist() for part in self.advantages.split([len(group.rollouts) for group in groups])]


def weigh(groups: Sequence[Group], recipe: Recipe) -> Weighed:
    """Weigh the groups of the whole step, of all ranks: denominators are global.

    A rollout takes part when it has a reward and action tokens, was not cut short where truncated ones are masked, and
    its group has an advantage that is not 0, where groups without one are dropped: under a group baseline those whose
    rewards are all equal (never under a KL term, which they still feel).
    """
    owner = torch.tensor([number for number, group in enumerate(groups) for _ in group.rollouts])
    pairs = [pair for group in groups for pair in zip(group.rollouts, group.verdicts, strict=True)]
    lengths = torch.tensor([sum(rollout.action_mask) for rollout, _ in pairs])
    valid = torch.tensor([_valid(rollout, verdict, recipe) for rollout, verdict in pairs]) & (lengths > 0)
    rewards = torch.tensor([0.0 if verdict.reward is None else verdict.reward for _, verdict in pairs])
    advantages = recipe.advantage(rewards, owner, valid)
    contributes = valid & _with_signal(advantages, owner, recipe)
    # In runs of neighbours: ranks and domains take turns from group to group, so that each update has some of all.
    update = owner * recipe.updates_per_step // max(len(groups), 1)
    weights = torch.zeros_like(advantages)
    for number in range(recipe.updates_per_step):
        weights += recipe.aggregation(lengths.where(contributes & (update == number), 0))
    return Weighed(advantages.float(), weights.float(), contributes, update)


def _valid(rollout: Rollout, verdict: Verdict, recipe: Recipe) -> bool:
    return verdict.reward is not None and not (recipe.mask_truncated and rollout.finish_reason == "length")


def _with_signal(advantages: Tensor, owner: Tensor, recipe: Recipe) -> Tensor:
    if not recipe.drop_equal_groups or recipe.kl_coefficient != 0.0:
        return torch.ones_like(owner, dtype=torch.bool)
    groups = int(owner.max()) + 1
    largest = torch.zeros(groups, dtype=advantages.dtype).scatter_reduce(0, owner, advantages.abs(), "amax")
    return largest[owner] > 0
