"""Which tasks a step takes: shares of the domains, and an order through each domain's training set."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from rlpt.domains.passes import Passes
from rlpt.errors import UserError
from rlpt.records import Task


@dataclass(frozen=True, slots=True)
class Turn:
    """Where the stream was taken back to, and what it is like from there on.

    `taken`: steps whose tasks stay as they were. `factors`: what the domains' weights are multiplied by, 1 where a
    domain is not named. `reseeds`: how often the run has got a new seed; what another number gives is another order.
    """

    taken: int
    factors: Mapping[str, float] = field(default_factory=dict)
    reseeds: int = 0


class Mixture(Protocol):
    """The stream of training tasks, cut into steps."""

    @property
    def tasks_per_step(self) -> int:
        """How many tasks each step takes, over all ranks."""
        ...

    def take(self, step: int, turns: Sequence[Turn] = ()) -> list[Task]:
        """Return the tasks of RL step `step`, counted from 1, in a stream that has taken these `turns`.

        The same for the same seed, step and turns, whatever was taken before: a resumed run needs no state of it.
        """
        ...


class WeightedMixture:
    """Each domain's share of the tasks is its weight; what a step cannot take in whole tasks, later steps make up for.

    Of each domain, no task comes again before all have come; every pass goes through them in a new order. That holds
    across turns too.

    Args:
        tasks: training tasks by domain.
        weights: weight by domain, 0 leaves a domain out. The shares are the weights over their sum.
        seed: of the orders.
        tasks_per_step: tasks of one step, over all domains and ranks.

    Raises:
        UserError: where nothing can be taken, or a weight is negative.
    """

    def __init__(
        self, tasks: Mapping[str, Sequence[Task]], weights: Mapping[str, float], seed: int, tasks_per_step: int
    ) -> None:
        if tasks_per_step < 1:
            raise UserError(f"mixture.tasks_per_step={tasks_per_step} is too small; set it to 1 or more.")
        for name in tasks:
            if weights[name] < 0:
                raise UserError(f"domain.{name}.weight={weights[name]} is negative; 0 leaves the domain out.")
            if weights[name] > 0 and not tasks[name]:
                raise UserError(f"Domain {name} has no training tasks; set domain.{name}.weight=0 or give it some.")
        self._tasks = tasks
        self._weights = {name: weights[name] for name in tasks}
        self._seed = seed
        self._tasks_per_step = tasks_per_step
        self._follow(())

    @property
    def tasks_per_step(self) -> int:
        """How many tasks each step takes, over all ranks."""
        return self._tasks_per_step

    def take(self, step: int, turns: Sequence[Turn] = ()) -> list[Task]:
        """Return the tasks of RL step `step`, counted from 1, in a stream that has taken these `turns`."""
        if step < 1:
            raise ValueError(f"steps are counted from 1, got {step}")
        if tuple(turns) != self._turns:
            self._follow(tuple(turns))
        end = step * self._tasks_per_step
        self._extend(end)
        start = end - self._tasks_per_step
        seen = Counter(self._names[:start])
        tasks: list[Task] = []
        for name in self._names[start:end]:
            tasks.append(self._passes[name].nth(seen[name]))
            seen[name] += 1
        return tasks

    def _follow(self, turns: tuple[Turn, ...]) -> None:
        """Begin the stream anew and take the turns."""
        self._turns = turns
        self._names: list[str] = []
        self._shares = shares(self._weights)
        self._passes = {name: Passes(name, own, str(self._seed)) for name, own in self._tasks.items()}
        self._start, self._owed = 0, dict.fromkeys(self._tasks, 0.0)
        for turn in turns:
            self._turn(turn)

    def _turn(self, turn: Turn) -> None:
        length = turn.taken * self._tasks_per_step
        self._extend(length)
        del self._names[length:]
        self._owed = {name: self._behind(name, length) for name in self._tasks}
        self._start = length
        self._shares = shares(self._weights, turn.factors)
        seed = f"{self._seed}/{turn.reseeds}" if turn.reseeds else str(self._seed)
        for name, passes in self._passes.items():
            passes.turn(self._names.count(name), seed)

    def _extend(self, length: int) -> None:
        """Decide which domain each place of the stream goes to, up to `length`: to the one furthest behind its share.

        This keeps every domain within one task of its exact share (largest remainder, carried from step to step).
        """
        counts = Counter(self._names[self._start :])
        for place in range(len(self._names) - self._start + 1, length - self._start + 1):
            name = max(self._shares, key=lambda name: self._owed[name] + self._shares[name] * place - counts[name])
            counts[name] += 1
            self._names.append(name)

    def _behind(self, name: str, length: int) -> float:
        """By how many tasks the domain is behind its share after `length` places; what it has not, it is owed."""
        since = length - self._start
        count = self._names[self._start : length].count(name)
        return self._owed[name] + self._shares.get(name, 0.0) * since - count


def shares(weights: Mapping[str, float], factors: Mapping[str, float] | None = None) -> dict[str, float]:
    """Each domain's share of the tasks, where it has one: its weight times its factor over their sum.

    Raises:
        UserError: where no domain has any.
    """
    found = {name: weight * (factors or {}).get(name, 1.0) for name, weight in weights.items()}
    total = sum(found.values())
    if total <= 0:
        raise UserError("Every domain.*.weight is 0, so no step has a task; set at least one above 0.")
    return {name: weight / total for name, weight in found.items() if weight > 0}
