"""One part of a domain's audit: what it says to a person, what it says to a program, and whether all is well."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from rlpt.evaluation.table import Table
from rlpt.evaluation.text import visible

LISTED = 20
"""Lines of a list that are printed; the file that `out` names has them all."""
_SHOWN = 160


@dataclass(frozen=True, slots=True)
class Part:
    """`rows` are plain values for `out`. `sound` is False where something was found that must be mended."""

    title: str
    table: Table
    lines: Sequence[str] = ()
    rows: Sequence[dict[str, Any]] = ()
    sound: bool = True

    @property
    def listing(self) -> str:
        """The first of its lines, indented and safe to print."""
        shown = [f"  {one_line(line)}" for line in self.lines[:LISTED]]
        rest = len(self.lines) - len(shown)
        return "\n".join([*shown, f"  and {rest} more; out=FILE writes them all"] if rest else shown)


def one_line(text: str) -> str:
    """A text on one line, safe to print; a long one ends in an ellipsis."""
    flat = " ".join(visible(text[:_SHOWN]).split())
    return f"{flat}..." if len(text) > _SHOWN else flat


def share(part: int, whole: int) -> str:
    """`.934`, or `-` of nothing; 1 and 0 are written only where they are exact."""
    if not whole:
        return "-"
    rounded = round(part / whole, 3)
    if rounded in (0.0, 1.0) and part not in (0, whole):
        rounded = 0.001 if rounded == 0.0 else 0.999
    return f"{rounded:.3f}"
