"""What changed in the training of each domain. Pure."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import fmean
from typing import Any

from rlpt.tracking.metrics_log import STEP

Row = Mapping[str, Any]
"""An object of metrics.jsonl."""

FOLLOWED = {
    "train": (
        "task_share",
        "token_share",
        "signal_share",
        "length",
        "reward",
        "kl",
        "entropy",
        "truncated",
        "unscored",
        "hack_rate",
    ),
    "probe": ("kl", "entropy", "gradient_norm"),
}
"""Kind of metric -> the names under `<kind>/<domain>/` that are looked at."""

LEAST_BEFORE = 5
LEAST_STEPS = 3
"""Differences from step to step without which nobody knows how much a metric varies."""


@dataclass(frozen=True, slots=True)
class Shift:
    """A metric's mean before and in a window. `size`: the change over the spread from step to step.

    It is infinite where nothing varied within either part, and None where too few steps have the metric to say.
    """

    domain: str
    metric: str
    before: float
    after: float
    size: float | None


def shifts(rows: Sequence[Row], good: int, bad: int, domains: Sequence[str]) -> list[Shift]:
    """What changed from before step `good` to the steps after it up to `bad`, the largest first.

    Before are as many steps as the window has, and five at least. Where there are none, as in a window that begins with
    the run, its first half is compared with its second.
    """
    before, window = parts(rows, good, bad)
    found = [
        shift
        for domain in domains
        for kind, names in FOLLOWED.items()
        for name in names
        if (shift := _shift(domain, f"{kind}/{domain}/{name}", before, window))
    ]
    return sorted(found, key=lambda shift: -abs(shift.size or 0.0))


def mean(rows: Sequence[Row], name: str) -> float | None:
    """The mean of a metric over the rows that have it."""
    values = _values(rows, name)
    return fmean(values) if values else None


def parts(rows: Sequence[Row], good: int, bad: int) -> tuple[list[Row], list[Row]]:
    """The rows before and in the window, as `shifts` compares them."""
    window = [row for row in rows if good < row[STEP] <= bad]
    earliest = good - max(len(window), LEAST_BEFORE)
    before = [row for row in rows if max(earliest, 0) < row[STEP] <= good]
    if before:
        return before, window
    half = len(window) // 2
    return window[:half], window[half:]


def _shift(domain: str, name: str, before: Sequence[Row], window: Sequence[Row]) -> Shift | None:
    old, new = _values(before, name), _values(window, name)
    if not old or not new:
        return None
    change = fmean(new) - fmean(old)
    steps = [later - earlier for part in (old, new) for earlier, later in pairwise(part)]
    # Half the mean squared difference of neighbours is the variance around a level that may drift (von Neumann, 1941).
    spread = math.sqrt(fmean(step * step for step in steps) / 2) if len(steps) >= LEAST_STEPS else None
    metric = name.removeprefix(f"train/{domain}/").replace(f"probe/{domain}/", "probe/")
    return Shift(domain, metric, fmean(old), fmean(new), _size(change, spread))


def _size(change: float, spread: float | None) -> float | None:
    if spread is None or abs(change) < 1e-9:
        return None if spread is None else 0.0
    return change / spread if spread > 1e-12 else math.copysign(math.inf, change)


def _values(rows: Sequence[Row], name: str) -> list[float]:
    return [float(row[name]) for row in rows if row.get(name) is not None]
