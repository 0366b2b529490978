"""The gate's verdicts as a table."""

from __future__ import annotations

from collections.abc import Sequence

from rlpt.evaluation.gate.verdict import DomainVerdict
from rlpt.evaluation.table import NOTHING, Table
from rlpt.evaluation.text import visible


def gate_table(verdicts: Sequence[DomainVerdict]) -> Table:
    """Domain, before, after, change, interval, p, verdict, n (with how many tasks it needs where it has too few).

    `p` is adjusted for all domains and evaluations; it is that of a gain where there is one, and of a loss else.
    """
    percent = f"{100 * verdicts[0].confidence:g}" if verdicts else "95"
    header = ("domain", "before", "after", "change", f"{percent} %\ninterval", "p", "verdict", "n")
    return Table(header, [_row(verdict) for verdict in verdicts], _notes(verdicts))


def _row(verdict: DomainVerdict) -> tuple[str, ...]:
    gained = verdict.adjusted_better < verdict.adjusted_worse
    return (
        visible(verdict.domain),
        _number(verdict.before, ".2f"),
        _number(verdict.after, ".2f"),
        _number(verdict.delta, "+.2f"),
        NOTHING if verdict.low is None else f"[{verdict.low:+.2f}, {verdict.high:+.2f}]",
        _p_value(verdict.adjusted_better if gained else verdict.adjusted_worse) if verdict.n else NOTHING,
        verdict.outcome,
        f"{verdict.n} (needs {verdict.needed})" if verdict.outcome == "not enough data" else str(verdict.n),
    )


def _notes(verdicts: Sequence[DomainVerdict]) -> list[str]:
    notes = [
        f"{visible(verdict.domain)}: {verdict.left_out} tasks were not scored on both sides and are left out."
        for verdict in verdicts
        if verdict.left_out
    ]
    notes += [
        f"{visible(verdict.domain)}: a loss of up to {verdict.tolerance:g} is tolerated."
        for verdict in verdicts
        if verdict.tolerance and verdict.n
    ]
    return notes


def _number(value: float | None, form: str) -> str:
    return NOTHING if value is None else format(value, form)


def _p_value(value: float) -> str:
    return "<0.001" if value < 0.001 else f"{value:.3f}"
