"""The groups of one step: all that were sampled, or as many with signal as a step has."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from rlpt.errors import UserError
from rlpt.records import Group
from rlpt.training.metrics import domain_metrics
from rlpt.training.recipe import Recipe
from rlpt.training.scores import rewards_differ


class Gathering:
    """Takes the judged groups of a step, round by round, until it is `full`.

    With `filters.equal_groups=resample` only groups whose rewards differ are taken, the first `size` of them, and
    rounds go on until there are that many (dynamic sampling: DAPO, arXiv:2503.14476, section 3.2); else one round is
    all. Every rank gathers the same groups.
    """

    def __init__(self, step: int, size: int, recipe: Recipe, version: int) -> None:
        """`size` is the number of tasks of a step, `version` the policy version that is trained."""
        self.groups: list[Group] = []
        self.sampled: list[Group] = []
        self.rounds = 0
        self._step, self._size, self._recipe, self._version = step, size, recipe, version

    @property
    def full(self) -> bool:
        """Whether the step has its groups."""
        resample = self._recipe.filters.equal_groups == "resample"
        return len(self.groups) == self._size if resample else self.rounds > 0

    def add(self, groups: Sequence[Group]) -> None:
        """Take the groups of one round.

        Raises:
            UserError: where this was the last round that is allowed and the step still lacks groups.
        """
        self.rounds += 1
        self.sampled += groups
        if self._recipe.filters.equal_groups != "resample":
            self.groups += groups
            return
        differ = rewards_differ(groups, self._recipe, self._version)
        self.groups += [group for group, signal in zip(groups, differ, strict=True) if signal]
        del self.groups[self._size :]
        if not self.full and self.rounds >= self._recipe.filters.max_rounds:
            raise UserError(self._why_not_full())

    def metrics(self) -> dict[str, float]:
        """What is measured over everything that was sampled, also where some of it was not taken."""
        metrics = {"rl/sampling_rounds": float(self.rounds)}
        if len(self.sampled) > len(self.groups):
            metrics |= _by_domain(self.sampled)
        return metrics

    def _why_not_full(self) -> str:
        alike = Counter(next(iter(rewards)) for rewards in map(_rewards, self.sampled) if len(rewards) == 1)
        unscored = sum(not _rewards(group) for group in self.sampled)
        whys = [f"in {number} every sample got {reward:g}" for reward, number in alike.most_common(3)]
        whys += [f"in {unscored} none was scored"] if unscored else []
        filtered = len(self.sampled) - sum(alike.values()) - unscored - len(self.groups)
        whys += [f"in {filtered} a filter left out what differed"] if filtered > 0 else []
        return (
            f"Step {self._step} needs {self._size} tasks whose samples differ in reward and found {len(self.groups)} "
            f"among the {len(self.sampled)} tasks of {self.rounds} rounds of sampling ({', '.join(whys)}); choose "
            "tasks nearer to what the policy can do, raise algorithm.filters.max_rounds or algorithm.group_size, or "
            "take steps with fewer groups: algorithm/filters=drop_equal."
        )


def _rewards(group: Group) -> set[float]:
    return {verdict.reward for verdict in group.verdicts if verdict.reward is not None}


def _by_domain(groups: Sequence[Group]) -> Mapping[str, float]:
    names = sorted({group.task.domain for group in groups})
    return {
        f"train/{name}/{metric}": value
        for name in names
        for metric, value in domain_metrics([group for group in groups if group.task.domain == name]).items()
    }
