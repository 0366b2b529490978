"""From judged groups to the rewards that a step learns from, and which rollouts take part. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from rlpt.algorithms.advantages import all_equal
from rlpt.algorithms.penalties import soft_overlong
from rlpt.records import Group, Rollout, Verdict
from rlpt.training.recipe import Recipe


@dataclass(frozen=True, slots=True)
class Credits:
    """The `M` rewards for parts of rollouts.

    `rewards [M]` (float64); `rollouts [M]`, the numbers of their rollouts; `places [M]`, the tokens at which they are
    earned, among the step's.
    """

    rewards: Tensor
    rollouts: Tensor
    places: Tensor


@dataclass(frozen=True, slots=True)
class Scores:
    """The `N` rollouts of a step in the order of their groups, and its `A` action tokens in the order of the rollouts.

    `rewards [N]` (float64) after penalties; `groups [N]` and `domains [N]`, numbers; `lengths [N]` in action tokens;
    `valid [N]`, False where a rollout takes no part; `update [N]`, the number of the optimizer update that it belongs
    to; `offsets [N + 1]`, where its tokens begin among the step's.
    `credits`: rewards for parts, where a verifier gave any. `greedy [N]`: the reward of the group's rollout without
    chance, where the recipe needs one.
    """

    rewards: Tensor
    groups: Tensor
    domains: Tensor
    lengths: Tensor
    valid: Tensor
    update: Tensor
    offsets: Tensor
    credits: Credits | None = None
    greedy: Tensor | None = None

    @property
    def owner(self) -> Tensor:
        """The number `[A]` of each token's rollout."""
        return torch.arange(len(self.lengths)).repeat_interleave(self.lengths)


def score(groups: Sequence[Group], recipe: Recipe, limits: Mapping[str, int], version: int) -> Scores:
    """Rewards and filters for the groups of the whole step, of all ranks.

    A rollout takes part when it has a reward and action tokens, and a baseline where it needs one, was not cut short
    where such are masked, is not staler than allowed, and the rewards of its group differ, where groups of equal ones
    are left out. Those that take part count in baselines and denominators, also where nothing comes of them.

    Args:
        limits: most new tokens by domain, in the order in which domains are numbered.
        version: the policy version that is trained.
    """
    names = list(limits)
    rollouts = [rollout for group in groups for rollout in group.rollouts]
    given, owner, valid = _given(groups, recipe, version)
    lengths = torch.tensor([rollout.actions for rollout in rollouts], dtype=torch.long)
    domains = torch.tensor([names.index(group.task.domain) for group in groups], dtype=torch.long)[owner]
    longest = torch.tensor([limits[name] for name in names])[domains]
    offsets = torch.cat([torch.zeros(1, dtype=torch.long), lengths.cumsum(0)])
    earned = _credits(groups, offsets)
    rewards = given - _overlong(lengths, longest, recipe)
    if recipe.drops_equal_groups:
        valid = valid & ~_alike(rewards, owner, valid, earned)
    greedy = None
    if recipe.needs_greedy:
        found = [group.greedy_verdict.reward if group.greedy_verdict else None for group in groups]
        valid = valid & torch.tensor([reward is not None for reward in found], dtype=torch.bool)[owner]
        own = torch.tensor([group.greedy.actions if group.greedy else 0 for group in groups], dtype=torch.long)
        greedy = torch.tensor([reward or 0.0 for reward in found], dtype=torch.float64)[owner]
        greedy = greedy - _overlong(own[owner], longest, recipe)
    update = _updates(owner, valid, recipe.updates_per_step)
    return Scores(rewards, owner, domains, lengths, valid, update, offsets, earned, greedy)


def rewards_differ(groups: Sequence[Group], recipe: Recipe, version: int) -> list[bool]:
    """For each group, whether the verdicts of its rollouts that may take part give different rewards."""
    given, owner, valid = _given(groups, recipe, version)
    offsets = torch.zeros(len(owner) + 1, dtype=torch.long)  # where they lie makes no difference here
    differ = valid & ~_alike(given, owner, valid, _credits(groups, offsets))
    return [bool(part.any()) for part in differ.split([len(group.rollouts) for group in groups])]


def _updates(groups: Tensor, valid: Tensor, updates: int) -> Tensor:
    """The update of each rollout: the groups that take part in runs of neighbours, of like size.

    Ranks and domains take turns from group to group, so that each update has some of all.
    """
    count = int(groups.max()) + 1 if len(groups) else 0
    taking = torch.zeros(count, dtype=torch.long).index_add(0, groups, valid.long()) > 0
    place = (taking.long().cumsum(0) - 1).clamp(min=0)
    return (place * updates // taking.sum().clamp(min=1))[groups]


def _overlong(lengths: Tensor, longest: Tensor, recipe: Recipe) -> Tensor:
    """What is taken from the rewards of long rollouts."""
    filters = recipe.filters
    return filters.overlong_penalty * soft_overlong(lengths, longest, buffer=filters.overlong_buffer)


def _credits(groups: Sequence[Group], offsets: Tensor) -> Credits | None:
    verdicts = [verdict for group in groups for verdict in group.verdicts]
    found = [
        (credit.reward, number, credit.token) for number, verdict in enumerate(verdicts) for credit in verdict.credits
    ]
    if not found:
        return None
    if any(token is None for _, _, token in found):
        raise ValueError("the token of a credit is not known; rlpt.samplers.credits.located finds it")
    rewards, rollouts, places = zip(*((r, n, int(offsets[n]) + (t or 0)) for r, n, t in found), strict=True)
    return Credits(torch.tensor(rewards, dtype=torch.float64), torch.tensor(rollouts), torch.tensor(places))


def _alike(given: Tensor, owner: Tensor, valid: Tensor, earned: Credits | None) -> Tensor:
    """Per rollout: whether its group's rewards are all equal, and so are those for parts."""
    alike = all_equal(given, owner, valid)
    if earned is None:
        return alike
    groups = owner[earned.rollouts]
    differing = groups[~all_equal(earned.rewards, groups, valid[earned.rollouts])]
    return alike & ~torch.isin(owner, differing)


def _given(groups: Sequence[Group], recipe: Recipe, version: int) -> tuple[Tensor, Tensor, Tensor]:
    """Per rollout: the verdict's reward, the number of the group, and whether no filter of its own takes it out."""
    pairs = [pair for group in groups for pair in zip(group.rollouts, group.verdicts, strict=True)]
    given = [0.0 if verdict.reward is None else verdict.reward for _, verdict in pairs]
    owner = [number for number, group in enumerate(groups) for _ in group.rollouts]
    usable = [_usable(rollout, verdict, recipe, version) for rollout, verdict in pairs]
    return (
        torch.tensor(given, dtype=torch.float64),
        torch.tensor(owner, dtype=torch.long),
        torch.tensor(usable, dtype=torch.bool),
    )


def _usable(rollout: Rollout, verdict: Verdict, recipe: Recipe, version: int) -> bool:
    filters = recipe.filters
    if verdict.reward is None or not rollout.actions:
        return False
    if filters.mask_truncated and rollout.finish_reason == "length":
        return False
    own = [written for written, action in zip(rollout.versions, rollout.action_mask, strict=True) if action]
    return filters.max_staleness is None or version - min(own) <= filters.max_staleness
