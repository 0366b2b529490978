"""The verdict on each domain: the one place where `rlpt compare` decides what improved and what regressed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rlpt.evaluation.compare import compare_evaluations
from rlpt.evaluation.gate.verdict import GateRules
from rlpt.evaluation.store import Evaluation
from rlpt.evaluation.table import Table, comparison_table

REGRESSED = "regressed"
OUTCOMES = (REGRESSED, "improved", "unchanged", "not enough data", "no data")
"""What a verdict may be, in the order in which a report names them."""


@dataclass(frozen=True, slots=True)
class Judged:
    """One domain: the change in mean reward within its interval, None where nothing was scored.

    `values`: all that is known of the comparison, as plain values.
    """

    domain: str
    outcome: str
    delta: float | None
    low: float | None
    high: float | None
    values: Mapping[str, Any]


def judge(reference: Evaluation, candidate: Evaluation, rules: GateRules) -> tuple[Sequence[Judged], Table]:
    """Each domain that both have, paired by task, and the table of them, a row each; before is the reference.

    Raises UserError where their suites differ.
    """
    comparisons = compare_evaluations(reference, candidate, rules)
    judged = [
        Judged(item.domain, item.verdict, item.delta, item.low, item.high, item.to_json()) for item in comparisons
    ]
    return judged, comparison_table(comparisons)
