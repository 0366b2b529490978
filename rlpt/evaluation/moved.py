"""Rows of the table of tasks that an evaluation won and lost."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rlpt.evaluation.report.tasks import Moved, moved_tasks
from rlpt.evaluation.sample import Sample


def moved_rows(reference: Sequence[Sample], candidate: Sequence[Sample], most: int) -> list[dict[str, Any]]:
    """Up to `most` tasks lost and `most` won of each domain, the greatest change first, with both sides' answers."""
    return [
        _row(name, task)
        for moved in moved_tasks(reference, candidate).values()
        for name, tasks in (("lost", moved.lost), ("won", moved.won))
        for task in tasks[:most]
    ]


def _row(outcome: str, task: Moved) -> dict[str, Any]:
    return {
        "domain": task.domain,
        "task_id": task.task_id,
        "outcome": outcome,
        "prompt": task.prompt,
        "answer before": task.before.text,
        "answer after": task.after.text,
        "reward before": task.before.mean,
        "reward after": task.after.mean,
        "status before": task.before.status,
        "status after": task.after.status,
    }
