"""Text in columns for a terminal: wrapped or cut to their width, as wide as a terminal shows them."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Literal

from rich.console import Console
from rich.table import Table
from rich.text import Text

from rlpt.evaluation.table import WIDTH
from rlpt.evaluation.text import visible

Overflow = Literal["fold", "ellipsis"]


def columns(
    rows: Sequence[Sequence[str]],
    widths: Sequence[int | None],
    overflow: Overflow = "ellipsis",
    right: bool = False,
) -> str:
    """`rows` side by side: `ellipsis` cuts a cell that is too long, `fold` wraps it. None: as wide as its cells.

    `right` aligns all but the first column at the right. Nothing in a cell can control a terminal.
    """
    table = Table.grid(padding=(0, 2, 0, 0))
    for index, width in enumerate(widths):
        table.add_column(
            max_width=width,
            width=width if overflow == "fold" else None,
            no_wrap=overflow == "ellipsis",
            overflow=overflow,
            justify="right" if right and index else "left",
        )
    for row in rows:
        table.add_row(*(Text(visible(cell)) for cell in row))
    stream = io.StringIO()
    Console(file=stream, width=WIDTH, color_system=None, force_terminal=False).print(table)
    return "\n".join(line.rstrip() for line in stream.getvalue().splitlines())


def end_of(text: str, width: int) -> str:
    """`text`, or its end after an ellipsis: names and paths differ there."""
    return text if len(text) <= width else f"\u2026{text[1 - width :]}"


def excerpt(text: str, lines: int, width: int, end: bool = False) -> str:
    """`text` in at most `lines` lines of `width`; what is left out, at its start where `end`, is counted."""
    most = lines * width
    left_out = max(0, len(text) - most)
    part = (text[-most:] if end else text[:most]) if left_out else text
    rows = part.split("\n")
    while len(rows) > 1 and sum(1 + len(row) // width for row in rows) > lines:
        left_out += len(rows.pop(0 if end else -1)) + 1
    mark = f"[{left_out:,} more characters]" if left_out else ""
    kept = "\n".join(rows) or "(empty)"
    return "\n".join(piece for piece in ((mark, kept) if end else (kept, mark)) if piece)
