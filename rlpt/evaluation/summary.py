"""What evaluations add to metrics.jsonl and to summary.json."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from rlpt.errors import UserError
from rlpt.evaluation.rates import Rate
from rlpt.evaluation.statistics import DomainComparison, DomainSummary, comparison_from_json, interval_key
from rlpt.evaluation.suite import Suite
from rlpt.run_dir import RunDir


def evaluation_metrics(summaries: Sequence[DomainSummary], suite: Suite | None = None) -> dict[str, float]:
    """`eval/<domain>/{reward,format,truncated,length,unscored,hack_rate,n}` of one evaluation.

    With several samples of a task also `pass_at_<k>` for powers of two and `majority_at_<k>`. With the
    `suite` also its number, which changes where the suite does. What was not judged is absent.
    """
    values = {
        f"eval/{item.domain}/{name}": value
        for item in summaries
        for name, value in (
            ("reward", item.reward),
            ("format", item.format),
            ("truncated", item.truncated),
            ("length", item.tokens),
            ("unscored", item.unscored),
            ("hack_rate", item.hack_rate),
            ("n", item.n),
            *_several(item).items(),
            ("suite", suite[item.domain].number if suite else None),
        )
    }
    return {name: value for name, value in values.items() if value is not None}


def regression_metrics(comparisons: Sequence[DomainComparison]) -> dict[str, float]:
    """`regression/<domain>`: the change since the reference, with its interval as `_low` and `_high`."""
    values = {
        f"regression/{item.domain}{suffix}": value
        for item in comparisons
        for suffix, value in (("", item.delta), ("_low", item.low), ("_high", item.high))
    }
    return {name: value for name, value in values.items() if value is not None}


def training_summary(
    comparisons: Sequence[DomainComparison], steps: int, wall_s: float, extra: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """summary.json of a training run: `{"domains": {name: {...}}, "steps":, "wall_s":, ...}`."""
    return {
        "domains": {item.domain: item.to_json() for item in comparisons},
        "steps": steps,
        "wall_s": round(wall_s, 3),
        **(extra or {}),
    }


def evaluation_summary(
    summaries: Sequence[DomainSummary],
    confidence: float,
    wall_s: float,
    extra: Mapping[str, Any] | None = None,
    suite: Suite | None = None,
) -> dict[str, Any]:
    """summary.json of an evaluation alone: each domain's rates with their intervals, and the identity of its suite."""
    return {
        "domains": {
            item.domain: {
                "reward": item.reward,
                interval_key(confidence): None if item.low is None else [item.low, item.high],
                "n": item.n,
                "samples": item.samples,
                "unscored": item.unscored,
                "format": item.format,
                "truncated": item.truncated,
                "tokens": item.tokens,
                "hack_rate": item.hack_rate,
                "pass_at": {str(k): _rate_to_json(rate, confidence) for k, rate in item.pass_at.items()},
                "majority": None if item.majority is None else _rate_to_json(item.majority, confidence),
                **({"suite": suite[item.domain].identity} if suite else {}),
            }
            for item in summaries
        },
        "wall_s": round(wall_s, 3),
        **(extra or {}),
    }


def read_summary(run: RunDir) -> dict[str, Any]:
    """summary.json of a run. Raises UserError where it is absent (the run has not ended) or damaged."""
    try:
        values = json.loads(run.summary.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise UserError(f"{run.root} has no summary yet; it is written when the run ends.") from error
    except (OSError, ValueError) as error:
        raise UserError(f"{run.summary} cannot be read ({error}).") from error
    if not isinstance(values, dict):
        raise UserError(f"{run.summary} does not hold a JSON object.")
    return values


def _several(item: DomainSummary) -> dict[str, float]:
    if item.samples_per_task < 2:
        return {}
    values = {f"pass_at_{k}": rate.value for k, rate in item.pass_at.items() if k > 1}
    if item.majority is not None:
        values[f"majority_at_{item.samples_per_task}"] = item.majority.value
    return values


def _rate_to_json(rate: Rate, confidence: float) -> dict[str, Any]:
    return {"value": rate.value, interval_key(confidence): [rate.low, rate.high], "n": rate.n}


def read_comparisons(run: RunDir) -> list[DomainComparison]:
    """The end-of-run table of a training run, from its summary.json; empty for an evaluation alone."""
    domains = read_summary(run).get("domains", {})
    return [comparison_from_json(name, values) for name, values in domains.items() if "delta" in values]
