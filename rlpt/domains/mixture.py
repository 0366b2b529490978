"""Which tasks a step takes: shares of the domains, and an order through each domain's training set."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from rlpt.domains.splits import unit_interval
from rlpt.errors import UserError
from rlpt.records import Task


class Mixture(Protocol):
    """The stream of training tasks, cut into steps."""

    @property
    def tasks_per_step(self) -> int:
        """How many tasks each step takes, over all ranks."""
        ...

    def take(self, step: int) -> list[Task]:
        """Return the tasks of RL step `step`, counted from 1.

        The same for the same seed and step, whatever was taken before: a resumed run needs no state of it.
        """
        ...


class WeightedMixture:
    """Each domain's share of the tasks is its weight; what a step cannot take in whole tasks, later steps make up for.

    Of each domain, no task comes again before all have come; every pass goes through them in a new order.

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
        total = sum(weights[name] for name in tasks)
        if total <= 0:
            raise UserError("Every domain.*.weight is 0, so no step has a task; set at least one above 0.")
        self._tasks = tasks
        self._shares = {name: weights[name] / total for name in tasks if weights[name] > 0}
        self._seed = seed
        self._tasks_per_step = tasks_per_step
        self._taken: list[str] = []
        self._orders: dict[tuple[str, int], list[Task]] = {}

    @property
    def tasks_per_step(self) -> int:
        """How many tasks each step takes, over all ranks."""
        return self._tasks_per_step

    def take(self, step: int) -> list[Task]:
        """Return the tasks of RL step `step`, counted from 1."""
        if step < 1:
            raise ValueError(f"steps are counted from 1, got {step}")
        end = step * self._tasks_per_step
        self._extend(end)
        start = end - self._tasks_per_step
        seen = {name: self._taken[:start].count(name) for name in self._shares}
        tasks: list[Task] = []
        for name in self._taken[start:end]:
            tasks.append(self._nth(name, seen[name]))
            seen[name] += 1
        return tasks

    def _extend(self, length: int) -> None:
        """Decide which domain each place of the stream goes to, up to `length`: to the one furthest behind its share.

        This keeps every domain within one task of its exact share (largest remainder, carried from step to step).
        """
        counts = {name: self._taken.count(name) for name in self._shares}
        for place in range(len(self._taken) + 1, length + 1):
            name = max(self._shares, key=lambda name: self._shares[name] * place - counts[name])
            counts[name] += 1
            self._taken.append(name)

    def _nth(self, name: str, index: int) -> Task:
        epoch, place = divmod(index, len(self._tasks[name]))
        if (name, epoch) not in self._orders:
            self._orders[name, epoch] = sorted(
                self._tasks[name], key=lambda task: unit_interval(f"mixture:{self._seed}:{name}:{epoch}:{task.task_id}")
            )
        return self._orders[name, epoch][place]
