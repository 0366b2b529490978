"""Compares two evaluations, task by task."""

from __future__ import annotations

from rlpt.evaluation.gate.verdict import GateRules
from rlpt.evaluation.statistics import DomainComparison, compare_samples
from rlpt.evaluation.store import Evaluation
from rlpt.evaluation.suite import check_same


def compare_evaluations(
    before: Evaluation, after: Evaluation, rules: GateRules | None = None
) -> list[DomainComparison]:
    """Each domain that both have. Raises UserError where their suites differ."""
    check_same(before.suite, after.suite, (before.name, after.name))
    return compare_samples(before.samples, after.samples, rules)
