"""The report as plain values, for `json=FILE`."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from rlpt.evaluation.report.config_difference import ABSENT, Difference
from rlpt.evaluation.report.curves import Curve
from rlpt.evaluation.report.report import Against, Report
from rlpt.evaluation.report.sources import Source
from rlpt.evaluation.report.tasks import Moved


def to_plain(report: Report) -> dict[str, Any]:
    """Everything of the report. Letters stand for the evaluations; a config key that one does not have is left out."""
    letters = [source.letter for source in report.sources]
    return {
        "candidate": report.candidate.letter,
        "regressed": report.regressed,
        "evaluations": {source.letter: _source(source) for source in report.sources},
        "against": {one.reference.letter: _against(one) for one in report.against},
        "config": [_difference(item, letters) for item in report.config],
        "curves": {domain: [_curve(curve) for curve in mine] for domain, mine in report.curves.items()},
        "cost": {letter: asdict(cost) for letter, cost in zip(letters, report.costs, strict=True)},
    }


def json_text(report: Report) -> str:
    """ASCII JSON that every reader takes: lone surrogates of model text are escaped, NaN and infinity are null."""
    return json.dumps(_finite(to_plain(report)), indent=1, ensure_ascii=True, allow_nan=False, default=str) + "\n"


def _source(source: Source) -> dict[str, Any]:
    return {
        "given": source.given,
        "run": str(source.run.root),
        "step": source.step,
        "overrides": list(source.overrides),
        "suite": {domain: {"fingerprint": part.fingerprint} for domain, part in source.evaluation.suite.items()},
    }


def _against(one: Against) -> dict[str, Any]:
    return {
        "domains": {item.domain: dict(item.values) for item in one.judged},
        "left_out": list(one.left_out),
        "tasks": {
            domain: {
                "n": tasks.n,
                "lost": [_moved(item) for item in tasks.lost],
                "won": [_moved(item) for item in tasks.won],
            }
            for domain, tasks in one.tasks.items()
        },
    }


def _moved(item: Moved) -> dict[str, Any]:
    values = asdict(item)
    del values["domain"]
    return values | {"delta": item.delta}


def _difference(item: Difference, letters: list[str]) -> dict[str, Any]:
    values = {letter: value for letter, value in zip(letters, item.values, strict=True) if value is not ABSENT}
    overridden = [letter for letter, by_hand in zip(letters, item.overridden, strict=True) if by_hand]
    return {"key": item.key, "values": values, "overridden": overridden}


def _curve(curve: Curve) -> dict[str, Any]:
    series = {"train": curve.train, "evaluations": curve.evaluations}
    return {"letters": list(curve.letters)} | {
        name: {"steps": steps, "rewards": rewards} for name, (steps, rewards) in series.items()
    }


def _finite(value: Any) -> Any:  # noqa: ANN401 - plain values of any shape
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {name: _finite(inner) for name, inner in value.items()}
    return [_finite(inner) for inner in value] if isinstance(value, list | tuple) else value
