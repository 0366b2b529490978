"""A trace as plain values, for `json=FILE`."""

from __future__ import annotations

import json
import math
from dataclasses import asdict
from typing import Any

from rlpt.evaluation.trace.trace import Trace, Traced
from rlpt.evaluation.trace.words import headline


def to_plain(found: Trace) -> dict[str, Any]:
    """Everything of the trace. `culprit` is None where no domain clearly worked against the traced one."""
    return {
        "run": str(found.run),
        "regressed": sorted({one.window.domain for one in found.traced if one.window.regressed}),
        "compared": found.compared,
        "traced": [_traced(one) for one in found.traced],
        "interference": {"cosines": found.cosines, "errors": found.errors},
    }


def json_text(found: Trace) -> str:
    """JSON that every reader takes. The `size` of a change is null where the metric did not vary or was seen once."""
    return json.dumps(to_plain(found), indent=1, allow_nan=False) + "\n"


def _traced(one: Traced) -> dict[str, Any]:
    return {
        **asdict(one.window),
        "headline": headline(one),
        "culprit": one.culprit.domain if one.culprit else None,
        "accused": [asdict(accused) for accused in one.accused],
        "changes": [{**asdict(shift), "size": _finite(shift.size)} for shift in one.shifts],
    }


def _finite(size: float | None) -> float | None:
    return size if size is not None and math.isfinite(size) else None
