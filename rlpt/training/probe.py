"""The probe set: the latest rollouts of each domain that were trained on and carried signal."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import torch

from rlpt.records import Group
from rlpt.run_dir import RunDir
from rlpt.tracking.local import read_rollouts
from rlpt.training.recipe import Recipe
from rlpt.training.weigh import Weighed, no_moments

LEAST = 2
"""Groups that a domain needs: of one alone nobody knows how much is chance."""


@dataclass(frozen=True, slots=True)
class Probed:
    """A group's rollouts that had an advantage other than 0, with these advantages."""

    group: Group
    advantages: Sequence[float]

    @property
    def tokens(self) -> int:
        """Tokens of its prompt and of its answers."""
        rollouts = self.group.rollouts
        return len(rollouts[0].prompt_ids) + sum(len(rollout.token_ids) for rollout in rollouts)


class Probe:
    """Remembers the latest `groups` groups with signal of each domain, however long ago that was.

    A domain that gets nothing right any more has no signal, and just then one wants to know who did it.
    """

    def __init__(self, domains: Iterable[str], groups: int, tokens: int) -> None:
        """`tokens`: most tokens of a domain that are looked at, prompts counted."""
        self._tokens = tokens
        self._kept: dict[str, deque[Probed]] = {name: deque(maxlen=groups) for name in domains}

    def add(self, groups: Sequence[Group], advantages: Sequence[Sequence[float]]) -> None:
        """Take those groups of a step that carry signal; `advantages`: of each rollout, as they were recorded."""
        for group, values in zip(groups, advantages, strict=True):
            if one := _with_signal(group, values):
                self._kept[group.task.domain].append(one)

    def refill(self, run: RunDir) -> None:
        """Remember what a run that goes on would remember, from its recorded rollouts."""
        earlier: list[tuple[Group, list[float]]] = []
        lacking = {name: kept.maxlen or 0 for name, kept in self._kept.items()}
        for step in reversed(run.rollout_steps()):
            if all(number <= 0 for number in lacking.values()):
                break
            of_step = [pair for pair in read_rollouts(run.rollouts(step)) if any(pair[1])]
            for group, _ in of_step:
                lacking[group.task.domain] -= 1
            earlier = of_step + earlier
        self.add([group for group, _ in earlier], [values for _, values in earlier])

    def sets(self) -> dict[str, list[Probed]]:
        """Of each domain with enough of them, the latest groups that stay within the tokens."""
        chosen = {name: _latest(kept, self._tokens) for name, kept in self._kept.items()}
        return {name: own for name, own in chosen.items() if len(own) >= LEAST}


def weigh_probe(probed: Sequence[Probed], recipe: Recipe) -> Weighed:
    """The probe of one domain as a step's weighed rollouts: with the recipe's loss weights, all in one update."""
    rollouts = [rollout for one in probed for rollout in one.group.rollouts]
    lengths = torch.tensor([rollout.actions for rollout in rollouts])
    advantages = torch.tensor([value for one in probed for value in one.advantages], dtype=torch.float32)
    return Weighed(
        advantages=advantages.repeat_interleave(lengths),
        weights=recipe.aggregation(lengths).float(),
        contributes=torch.ones(len(rollouts), dtype=torch.bool),
        update=torch.zeros(len(rollouts), dtype=torch.long),
        offsets=torch.cat([torch.zeros(1, dtype=torch.long), lengths.cumsum(0)]),
        moments=no_moments(1),
    )


def _with_signal(group: Group, values: Sequence[float]) -> Probed | None:
    chosen = [pair for pair in zip(group.rollouts, values, strict=True) if pair[1] != 0.0 and pair[0].actions]
    if not chosen:
        return None
    alone = replace(group, rollouts=[rollout for rollout, _ in chosen], verdicts=(), greedy=None, greedy_verdict=None)
    return Probed(alone, [value for _, value in chosen])


def _latest(kept: Iterable[Probed], tokens: int) -> list[Probed]:
    chosen: list[Probed] = []
    for one in reversed(list(kept)):
        tokens -= one.tokens
        if tokens < 0 and len(chosen) >= LEAST:
            break
        chosen.append(one)
    return chosen[::-1]
