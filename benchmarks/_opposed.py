"""Four small domains for `trace.py`: `low` pays for the opposite of what `high` pays for; two have no part in that."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rlpt.domains.mixture import Turn, WeightedMixture
from rlpt.domains.splits import unit_interval
from rlpt.records import Split, Task, Verdict

QUESTIONS = {
    "high": "Pick a digit for box {}.",
    "low": "Pick a digit for box {}.",
    "letter": "Choose a letter for shelf {}.",
    "chance": "Name a letter of door {}.",
}
LETTERS = "abcdefghij"
TASKS = {"train": range(0, 400), "validation": range(400, 500), "test": range(500, 700)}


class Picks:
    """Tasks with a number. A policy that was shown good answers of all domains gets about half of each right.

    `high` and `low` ask the same, of numbers that only look alike. `letter` depends on the last digit, `chance` on
    nothing that can be learned.
    """

    def __init__(self, name: str) -> None:
        self._name = name

    def load(self, split: Split) -> list[Task]:
        """The tasks of a split."""
        numbers = sorted(range(2 * TASKS["test"].stop), key=lambda number: unit_interval(f"number {number}"))
        half = numbers[self._name == "low" :: 2]
        return [self._task(half[place]) for place in TASKS[split]]

    def demonstration(self, task: Task) -> str:
        """One of the answers that are paid."""
        good: str = task.reference["good"]
        return good[int(unit_interval(f"{self._name}:{task.task_id}") * len(good))]

    def _task(self, number: int) -> Task:
        question = QUESTIONS[self._name].format(number)
        return Task(self._name, str(number), [{"role": "user", "content": question}], {"good": self._good(number)})

    def _good(self, number: int) -> str:
        if self._name in ("high", "low"):
            return "56789" if self._name == "high" else "01234"
        if self._name == "letter":
            return LETTERS[:5] if number % 10 < 5 else LETTERS[5:]
        return "".join(sorted(LETTERS, key=lambda letter: unit_interval(f"{letter}{number}"))[:5])


class OneOf:
    """Pays for an answer that is one of the characters in the reference."""

    def verify(self, task: Task, completion: str) -> Verdict:
        """1 or 0."""
        answer = completion.strip()
        good = len(answer) == 1 and answer in task.reference["good"]
        return Verdict(float(good), "correct" if good else "wrong", parts={"format": float(len(answer) == 1)})


class Shifting:
    """A mixture whose shares change after step `after`: then they are those of `later`."""

    def __init__(
        self,
        tasks: Mapping[str, Sequence[Task]],
        weights: Mapping[str, float],
        seed: int,
        tasks_per_step: int,
        after: int,
        later: Mapping[str, float],
    ) -> None:
        self._after = after
        self._parts = [WeightedMixture(tasks, shares, seed, tasks_per_step) for shares in (weights, later)]

    @property
    def tasks_per_step(self) -> int:
        """See `rlpt.domains.mixture.Mixture`."""
        return self._parts[0].tasks_per_step

    def take(self, step: int, turns: Sequence[Turn] = ()) -> list[Task]:
        """See `rlpt.domains.mixture.Mixture`."""
        return self._parts[step > self._after].take(step, turns)
