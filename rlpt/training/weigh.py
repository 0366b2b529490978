"""From the rewards of a step to the advantage and the loss weight of every action token. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import torch
from torch import Tensor

from rlpt.algorithms.sequences import to_go
from rlpt.records import Group
from rlpt.training.recipe import Recipe
from rlpt.training.scores import Credits, Scores


@dataclass(frozen=True, slots=True)
class Weighed:
    """For the `N` rollouts of a step and their `A` action tokens, both in the order of the groups.

    `advantages [A]` and `weights [N]` (of each action token in the loss) are fp32. `contributes [N]` is False where a
    rollout takes no part, or no token of its group has a gradient: it need not be computed. `update [N]` is the number
    of the optimizer update that a rollout belongs to. `offsets [N + 1]` says where the tokens of each rollout begin.
    `moments [D, 3]` is what the normalisation remembers. `returns [A]` (fp32) is what a critic learns to expect, where
    there is one.
    """

    advantages: Tensor
    weights: Tensor
    contributes: Tensor
    update: Tensor
    offsets: Tensor
    moments: Tensor
    returns: Tensor | None = None

    def to(self, device: torch.device) -> Weighed:
        """The same on `device`."""
        values: dict[str, Any] = {field.name: getattr(self, field.name) for field in fields(self)}
        return replace(self, **{name: value.to(device) for name, value in values.items() if value is not None})

    def by_group(self, groups: Sequence[Group]) -> list[list[float]]:
        """The mean advantage of each rollout, as one list a group."""
        lengths = self.offsets.diff()
        owner = torch.arange(len(lengths)).repeat_interleave(lengths)
        sums = torch.zeros(len(lengths), dtype=torch.float64).index_add(0, owner, self.advantages.double())
        means = (sums / lengths.clamp(min=1)).float()
        return [part.tolist() for part in means.split([len(group.rollouts) for group in groups])]


def no_moments(domains: int) -> Tensor:
    """`[D, 3]`: what a normalisation remembers before the first step."""
    return torch.zeros(domains, 3, dtype=torch.float64)


def weigh(
    scores: Scores, recipe: Recipe, moments: Tensor, kl: Tensor | None = None, values: Tensor | None = None
) -> Weighed:
    """Weigh the rollouts of the whole step, of all ranks: baselines and denominators are global.

    Args:
        moments: `[D, 3]`, of the step before.
        kl: `[A]`, the KL of each action token where rewards have a KL term.
        values: `[A]`, the critic's where there is one.
    """
    owner = scores.owner
    penalty = torch.zeros(len(owner), dtype=torch.float64)
    if kl is not None:
        penalty = recipe.kl.coefficient * kl.double()
    raw = _estimated(scores, recipe, penalty) if values is None else _with_critic(scores, recipe, penalty, values)
    raw = raw.where(scores.valid[owner], 0.0)
    signal = scores.valid[owner]
    if recipe.group_baseline:
        # Its rewards are all equal: it stays at exactly 0, whatever the mean of the others is.
        signal = signal & _any_in_group(raw != 0.0, scores.groups[owner], scores.groups[owner])
    normalized, moments = recipe.normalization(raw[signal], scores.domains[owner][signal], moments)
    advantages = raw.masked_scatter(signal, normalized).float()
    contributes = scores.valid
    if recipe.only_advantages_teach:
        contributes = contributes & _any_in_group(advantages != 0.0, scores.groups[owner], scores.groups)
    return Weighed(
        advantages=advantages,
        weights=_weights(scores, recipe),
        contributes=contributes,
        update=scores.update,
        offsets=scores.offsets,
        moments=moments,
        returns=None if values is None else (raw + values).float(),
    )


def _estimated(scores: Scores, recipe: Recipe, penalty: Tensor) -> Tensor:
    """`[A]`: one advantage a rollout, less the KL penalty that is still to come where it acts there."""
    rewards = scores.rewards
    if recipe.kl.placement == "reward":
        rewards = rewards.index_add(0, scores.owner, penalty, alpha=-1.0)
    baseline = {} if scores.greedy is None else {"greedy": scores.greedy}
    advantages = recipe.advantage(rewards, scores.groups, scores.valid, **baseline)[scores.owner]
    if scores.credits is not None:
        advantages = advantages + to_go(_earned(scores, scores.credits, recipe), scores.owner)
    return advantages - to_go(penalty, scores.owner) if recipe.kl.placement == "reward_to_go" else advantages


def _earned(scores: Scores, credits: Credits, recipe: Recipe) -> Tensor:
    """`[A]`: at the end of each rewarded part, its advantage over all parts of its group.

    Source: process supervision in DeepSeekMath (arXiv:2402.03300), section 4.1.3: rewards of parts are normalised among
    those of the group, and each token gets the sum of those from it on.
    """
    baseline = {} if scores.greedy is None else {"greedy": torch.zeros_like(credits.rewards)}
    groups, valid = scores.groups[credits.rollouts], scores.valid[credits.rollouts]
    advantages = recipe.advantage(credits.rewards, groups, valid, **baseline)
    return torch.zeros(len(scores.owner), dtype=torch.float64).index_add(0, credits.places, advantages)


def _with_critic(scores: Scores, recipe: Recipe, penalty: Tensor, values: Tensor) -> Tensor:
    """`[A]`: the last action token of a rollout gets its reward, each token its KL penalty."""
    rewards = -penalty
    acting = scores.lengths > 0
    rewards[scores.offsets[1:][acting] - 1] += scores.rewards[acting]
    if scores.credits is not None:
        rewards = rewards.index_add(0, scores.credits.places, scores.credits.rewards)
    return recipe.advantage(rewards, values, scores.owner)


def _weights(scores: Scores, recipe: Recipe) -> Tensor:
    """The weight `[N]` (fp32) of each rollout's tokens in its update."""
    weights = torch.zeros(len(scores.lengths), dtype=torch.float64)
    for number in range(recipe.updates_per_step):
        weights += recipe.aggregation(scores.lengths.where(scores.valid & (scores.update == number), 0))
    return weights.float()


def _any_in_group(flags: Tensor, groups: Tensor, wanted: Tensor) -> Tensor:
    """For each of the `wanted` groups, whether any of its flags is set. `groups`: the group of each flag."""
    size = int(wanted.max()) + 1 if len(wanted) else 0
    return (torch.zeros(size).index_add(0, groups, flags.float()) > 0)[wanted]
