"""Checks a domain with its own verifier: an answer that is known to be right must be judged right."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rlpt.records import Task
from rlpt.verifiers.protocol import Scorer


@dataclass(frozen=True, slots=True)
class Failure:
    """A task whose known right answer its verifier does not pay.

    `row` is its place among the tasks, from 0. `judged` is False where the verifier gave no verdict at all, because it
    cannot judge by the task's reference or could not work.
    """

    row: int
    task_id: str
    demonstration: str
    detail: str
    judged: bool

    def __str__(self) -> str:
        return f"row {self.row} ({self.task_id}): {self.detail}"


def validate(tasks: Sequence[Task], demonstrations: Sequence[str], pool: Scorer) -> list[Failure]:
    """Return the tasks whose demonstration does not get a reward of 1; what follows from them is the caller's choice.

    `demonstrations`: one right completion for each task (`Domain.demonstration`). A reference that the verifier cannot
    judge by (a gold answer that does not parse) shows up here as well.
    """
    if len(tasks) != len(demonstrations):
        raise ValueError(f"{len(demonstrations)} demonstrations for {len(tasks)} tasks; there must be one each")
    verdicts = pool.score(list(zip(tasks, demonstrations, strict=True)))
    return [
        Failure(row, task.task_id, demonstration, verdict.detail or verdict.status, verdict.reward is not None)
        for row, (task, demonstration, verdict) in enumerate(zip(tasks, demonstrations, verdicts, strict=True))
        if verdict.reward != 1.0
    ]
