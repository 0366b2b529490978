"""How W&B shows metrics: the axis, and what its table of runs has of each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rlpt.tracking.metric_names import Summary
from rlpt.tracking.metrics_log import STEP
from rlpt.tracking.metrics_of_runs import METRICS


def define_metrics(run: Any, domains: Sequence[str]) -> None:  # noqa: ANN401 - W&B's own type
    """Make `rl/step` the axis of everything, without a plot of its own, and name the summaries of some metrics."""
    run.define_metric(STEP, hidden=True)
    run.define_metric("*", step_metric=STEP)
    for name, kinds in _summarised(domains).items():
        run.define_metric(name, step_metric=STEP, summary=",".join(kinds))


def summaries(rows: Iterable[Mapping[str, Any]], domains: Sequence[str]) -> dict[str, dict[Summary, float]]:
    """The summaries that `define_metrics` names, from the rows of metrics.jsonl; without those that have no value."""
    values: dict[str, list[float]] = {}
    for row in rows:
        for name in _summarised(domains):
            if row.get(name) is not None:
                values.setdefault(name, []).append(row[name])
    kinds = _summarised(domains)
    return {name: {kind: _summary(found, kind) for kind in kinds[name]} for name, found in values.items()}


def _summarised(domains: Sequence[str]) -> dict[str, Sequence[Summary]]:
    return {name: metric.summary for metric in METRICS if metric.summary for name in metric.names(domains)}


def _summary(values: Sequence[float], kind: Summary) -> float:
    return {"min": min(values), "max": max(values), "last": values[-1]}[kind]
