"""Runs of the whole system at its cheapest: the tiny policy, few tasks, real engines."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

CHEAP = (
    "policy=tiny",
    "evaluation.tasks_per_domain=8",
    "mixture.tasks_per_step=6",
    "algorithm.group_size=4",
    "checkpoint.every=1",
)


# Functions are what the tiny policy gets right now and then: only there its rewards differ within a group.
WITH_SIGNAL = (
    "domain.arithmetic.weight=0",
    "domain.instructions.weight=0",
    "mixture.tasks_per_step=8",
    "algorithm.group_size=8",
)


def only_run(folder: Path) -> Path:
    """The one run below `folder`."""
    (run,) = folder.glob("runs/*/*")
    return run


def metrics(run: Path) -> list[dict[str, float]]:
    """The lines of metrics.jsonl, in order."""
    return [json.loads(line) for line in (run / "metrics.jsonl").read_text().splitlines()]


@pytest.fixture(scope="session")
def cheap() -> tuple[str, ...]:
    """Overrides of a cheap run."""
    return CHEAP
