"""A trace on a terminal."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import IO

from rlpt.evaluation.table import NOTHING, Table, print_table
from rlpt.evaluation.text import emit, visible
from rlpt.evaluation.trace.accused import Accused
from rlpt.evaluation.trace.shifts import Shift
from rlpt.evaluation.trace.trace import Trace, Traced
from rlpt.evaluation.trace.words import headline, nothing_regressed, sized

MOST_SHIFTS = 12
LEAST_SIZE = 1.0
"""Changes within the spread from step to step are not printed."""


def print_trace(found: Trace, stream: IO[str] | None = None) -> None:
    """First one sentence for each traced domain; then who worked against it and what changed; last the matrix."""
    out = stream or sys.stdout
    for one in found.traced:
        emit(visible(headline(one)), out)
    if not any(one.window.regressed for one in found.traced):
        emit(nothing_regressed(found), out)
    for one in found.traced:
        _print_traced(one, out)
    if found.cosines:
        emit(
            "\nInterference over the whole run: cosines of policy gradients; below 0, updates work against each other",
            out,
        )
        print_table(_matrix(found), out)


def _print_traced(one: Traced, out: IO[str]) -> None:
    window = one.window
    if one.accused:
        emit(f"\nWhose updates worked against {visible(window.domain)}, steps {window.good} to {window.bad}", out)
        print_table(_accused(one.accused), out)
    emit(f"\nWhat changed in steps {window.good + 1} to {window.bad}", out)
    large = [shift for shift in one.shifts if shift.size is not None and abs(shift.size) >= LEAST_SIZE]
    if large:
        print_table(_shifts(large), out)
    else:
        emit("Nothing by more than it varies from step to step.", out)


def _accused(accused: Sequence[Accused]) -> Table:
    header = ("domain", "cosine", "error", "share before", "share", "of the signal", "pull", "")
    rows = [
        (
            visible(one.domain),
            f"{one.cosine:+.2f}",
            f"{one.error:.2f}",
            _share(one.share_before),
            _share(one.share),
            f"{one.signal:.2f}",
            f"{one.pull:+.3f}",
            "against" if one.clear else "",
        )
        for one in accused
    ]
    return Table(header, rows)


def _shifts(large: Sequence[Shift]) -> Table:
    rows = [
        (f"{visible(one.domain)} {one.metric}", f"{one.before:.3g}", f"{one.after:.3g}", sized(one.size))
        for one in large[:MOST_SHIFTS]
    ]
    left = len(large) - MOST_SHIFTS
    return Table(
        ("", "before", "then", "change / spread"), rows, [f"{left} smaller changes: json=FILE"] if left > 0 else []
    )


def _matrix(found: Trace) -> Table:
    names = list(found.cosines)
    rows = [
        (visible(name), *(_entry(found.cosines[name].get(other), found.errors[name].get(other)) for other in names))
        for name in names
    ]
    return Table(("", *map(visible, names)), rows)


def _entry(cosine: float | None, error: float | None) -> str:
    return NOTHING if cosine is None or error is None else f"{cosine:+.2f} +- {error:.2f}"


def _share(value: float | None) -> str:
    return NOTHING if value is None else f"{value:.2f}"
