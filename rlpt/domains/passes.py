"""One domain's training tasks in the order they come."""

from __future__ import annotations

from collections.abc import Sequence

from rlpt.domains.splits import unit_interval
from rlpt.records import Task


class Passes:
    """Passes through `tasks` without end, each in an order of its own: no task comes again before all have come."""

    def __init__(self, name: str, tasks: Sequence[Task], seed: str) -> None:
        """`seed` and the domain's `name` decide the orders."""
        self._name = name
        self._tasks = tasks
        self._seed = seed
        self._order: list[Task] = []

    def nth(self, index: int) -> Task:
        """The task at place `index` of the order, counted from 0."""
        while len(self._order) <= index:
            self._end_pass()
        return self._order[index]

    def turn(self, length: int, seed: str) -> None:
        """Keep the first `length` places; what is left of the pass there comes next, in an order by `seed`."""
        if length:
            self.nth(length - 1)
        del self._order[length:]
        self._seed = seed

    def _end_pass(self) -> None:
        number = len(self._order) // len(self._tasks)
        come = {task.task_id for task in self._order[number * len(self._tasks) :]}
        left = [task for task in self._tasks if task.task_id not in come]
        key = f"mixture:{self._seed}:{self._name}:{number}"
        self._order += sorted(left, key=lambda task: unit_interval(f"{key}:{task.task_id}"))
