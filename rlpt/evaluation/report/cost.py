"""What each evaluation that is compared had cost up to its step."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rlpt.tracking.metrics_log import STEP

BUDGET = "budget/"


@dataclass(frozen=True, slots=True)
class Cost:
    """Totals from the run's start to a step; None where its metrics do not say.

    `wall_s`: seconds; for an evaluation alone, those that it took. `flops`: floating-point operations, as planned from
    the number of parameters and tokens.
    """

    steps: int
    sampled_tokens: float | None
    trained_tokens: float | None
    flops: float | None
    wall_s: float | None


def cost(metrics: Sequence[Mapping[str, Any]], step: int, summary: Mapping[str, Any]) -> Cost:
    """The last `budget/*` totals of `metrics` that are not after `step`."""
    used = [row for row in metrics if row[STEP] <= step and any(name.startswith(BUDGET) for name in row)]
    totals: Mapping[str, Any] = used[-1] if used else {}
    trained = any(name.startswith(BUDGET) for row in metrics for name in row)
    alone = None if trained or summary.get("steps") else summary.get("wall_s")
    return Cost(
        steps=step,
        sampled_tokens=totals.get(f"{BUDGET}sampled_tokens"),
        trained_tokens=totals.get(f"{BUDGET}trained_tokens"),
        flops=totals.get(f"{BUDGET}flops"),
        wall_s=totals.get(f"{BUDGET}wall_s", alone),
    )
