"""How numbers and settings are written in the report, on the terminal and on the page."""

from __future__ import annotations

from rlpt.evaluation.report.config_difference import ABSENT
from rlpt.evaluation.report.cost import Cost
from rlpt.evaluation.report.report import Against
from rlpt.evaluation.report.tasks import Answer
from rlpt.evaluation.report.verdicts import OUTCOMES
from rlpt.tracking.files import dump_json

NOTHING = "-"
MISSING = "absent"
UNITS = ((1e18, "E"), (1e15, "P"), (1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"))

COST_ROWS = ("steps", "sampled tokens", "trained tokens", "operations", "wall time")


def cost_cells(cost: Cost) -> tuple[str, ...]:
    """The cells of one evaluation, in the order of `COST_ROWS`."""
    return (
        str(cost.steps),
        _amount(cost.sampled_tokens),
        _amount(cost.trained_tokens),
        _amount(cost.flops),
        NOTHING if cost.wall_s is None else duration(cost.wall_s),
    )


def duration(seconds: float) -> str:
    """`48 s`, `3:07 min` or `2:05 h`."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    return f"{whole // 60}:{whole % 60:02d} min" if whole < 3600 else f"{whole // 3600}:{whole % 3600 // 60:02d} h"


def setting(value: object) -> str:
    """The value of a config key; of a node, how many keys it has."""
    if value is ABSENT:
        return MISSING
    if isinstance(value, dict):
        count = _leaves(value)
        return f"({count} key{'s' if count > 1 else ''})"
    return value if isinstance(value, str) else dump_json(value)


def starred(value: str, overridden: bool) -> str:
    """A setting with a star before it where it was set on the command line."""
    return f"*{value}" if overridden and value != MISSING else value


def conclusion(against: Against) -> str:
    """One sentence: what regressed, improved, stayed, and what cannot be said."""
    parts = [
        f"{outcome}{':' if ' ' in outcome else ' in'} {', '.join(against.domains(outcome))}"
        for outcome in OUTCOMES
        if against.domains(outcome)
    ]
    return f"{'; '.join(parts)[:1].upper()}{'; '.join(parts)[1:]}."


def judged(answer: Answer) -> str:
    """What the verifier said of an answer."""
    cut = ", cut at the length limit" if answer.truncated else ""
    several = "" if answer.mean == answer.reward else f" (mean {answer.mean:.2f})"
    detail = " ".join(answer.detail.split())
    return f"{answer.status}, reward {answer.reward:g}{several}, {answer.tokens} tokens{cut}" + (
        f": {detail}" if detail else ""
    )


def _amount(value: float | None) -> str:
    if value is None:
        return NOTHING
    for unit, letter in UNITS:
        if value >= unit:
            return f"{value / unit:.3g}{letter}"
    return f"{value:.3g}"


def _leaves(value: object) -> int:
    return sum(map(_leaves, value.values())) if isinstance(value, dict) else 1
