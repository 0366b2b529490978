"""The table that a sweep ends with: a line for each run that worked, with what was swept and what came of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rlpt.evaluation.table import NOTHING, Table
from rlpt.evaluation.text import visible


@dataclass(frozen=True, slots=True)
class SweepRun:
    """One run of a sweep: its directory below the sweep's, its overrides, its summary.json."""

    directory: str
    overrides: Sequence[str]
    summary: Mapping[str, Any]


def sweep_table(runs: Sequence[SweepRun]) -> Table:
    """Overrides that not all runs share, directory, and for each domain the last reward and its change, if measured."""
    shared = set.intersection(*(set(run.overrides) for run in runs)) if len(runs) > 1 else set()
    domains = list(dict.fromkeys(name for run in runs for name in run.summary.get("domains", {})))
    rows = [
        (
            visible(" ".join(text for text in run.overrides if text not in shared)),
            visible(run.directory),
            *(_result(run.summary.get("domains", {}).get(name)) for name in domains),
        )
        for run in runs
    ]
    return Table(("run", "directory", *map(visible, domains)), rows)


def _result(domain: Mapping[str, Any] | None) -> str:
    """`after (change)` of a training run, the reward of an evaluation."""
    value = None if domain is None else domain.get("after", domain.get("reward"))
    if domain is None or value is None:
        return NOTHING
    change = domain.get("delta")
    return f"{value:.2f}" if change is None else f"{value:.2f} ({change:+.2f})"
