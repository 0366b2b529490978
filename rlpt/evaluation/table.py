"""The tables that a run ends with: rich on a terminal, aligned plain text everywhere else, at most 100 columns."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import IO

from rich import box
from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from rlpt.evaluation.rates import Rate
from rlpt.evaluation.statistics import DomainComparison, DomainSummary
from rlpt.evaluation.text import emit, visible

WIDTH = 100
GAP = "  "
NOTHING = "-"
HACKS = "hacks"
STYLES = {"improved": "green", "regressed": "bold red", "unchanged": "dim", "no data": "yellow"}


@dataclass(frozen=True, slots=True)
class Table:
    """Cells of a table. The first column is text and gives way where the table is too wide; the others are numbers."""

    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    notes: Sequence[str] = ()


def comparison_table(comparisons: Sequence[DomainComparison]) -> Table:
    """Domain, before, after, change, interval, n, format before -> after, how much of the change is format, verdict.

    Where a verdict was `suspicious`, also the share of such verdicts after.
    """
    hacked = any(item.hack_rate_before or item.hack_rate_after for item in comparisons)
    percent = f"{100 * comparisons[0].confidence:g}" if comparisons else "95"
    header = (
        "domain",
        "before",
        "after",
        "change",
        f"{percent} %\ninterval",
        "n",
        "format\nbefore -> after",
        "of which\nformat",
        *((HACKS,) if hacked else ()),
        "verdict",
    )
    return Table(header, [_comparison_row(item, hacked) for item in comparisons], _comparison_notes(comparisons))


def summary_table(summaries: Sequence[DomainSummary], confidence: float = 0.95) -> Table:
    """Domain, mean reward, interval, n, share with the asked-for form, share truncated, mean length.

    Where a verdict was `suspicious`, also the share of such verdicts.
    """
    hacked = any(item.hack_rate for item in summaries)
    interval = f"{100 * confidence:g} %\ninterval"
    header = ["domain", "reward", interval, "n", "format", "truncated", "tokens", *([HACKS] if hacked else [])]
    return Table(header, [_summary_row(item, hacked) for item in summaries], _summary_notes(summaries))


def pass_table(summaries: Sequence[DomainSummary], confidence: float = 0.95) -> Table | None:
    """Domain, k, pass@k and, at the largest k, majority@k, with intervals; None where each task has one sample."""
    interval = f"{100 * confidence:g} %\ninterval"
    header = ("domain", "k", "pass@k", interval, "majority@k", interval)
    several = [item for item in summaries if item.samples_per_task > 1]
    rows = [_pass_row(item, k) for item in several for k in item.pass_at]
    return Table(header, rows) if rows else None


def plain_text(table: Table, width: int = WIDTH) -> str:
    """The table as aligned text, no line longer than `width` as long as the numbers alone fit."""
    heads = [cell.split("\n") for cell in table.header]
    height = max(len(head) for head in heads)
    lines = [[*[""] * (height - len(head)), *head] for head in heads]
    head_rows = [[column[line] for column in lines] for line in range(height)]
    rows = [*head_rows, *table.rows]
    widths = [max(len(row[column]) for row in rows) for column in range(len(table.header))]
    others = sum(widths[1:]) + len(GAP) * (len(widths) - 1)
    widths[0] = min(widths[0], max(8, width - others))
    rule = GAP.join("-" * column for column in widths)
    texts = [_line(row, widths) for row in rows]
    return "\n".join([*texts[:height], rule, *texts[height:], *table.notes])


def print_table(table: Table, stream: IO[str] | None = None) -> None:
    """Print the table on `stream` (default: stdout)."""
    console = Console(file=stream or sys.stdout)
    if console.is_terminal and console.width >= WIDTH:
        console.print(_rich(table))
        for note in table.notes:
            console.print(Text(note, style="dim"))
    else:
        emit(plain_text(table), stream)


def _rich(table: Table) -> RichTable:
    out = RichTable(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1))
    for index, name in enumerate(table.header):
        out.add_column(name, justify="right" if index else "left", no_wrap=True, overflow="ellipsis")
    for row in table.rows:
        out.add_row(*(Text(cell, style=STYLES.get(cell, "")) for cell in row))
    return out


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    first = cells[0] if len(cells[0]) <= widths[0] else cells[0][: widths[0] - 1] + "\u2026"
    numbers = [cell.rjust(width) for cell, width in zip(cells[1:], widths[1:], strict=True)]
    return GAP.join([first.ljust(widths[0]), *numbers]).rstrip()


def _comparison_row(item: DomainComparison, hacked: bool) -> tuple[str, ...]:
    return (
        visible(item.domain),
        _share(item.before),
        _share(item.after),
        _change(item.delta),
        NOTHING if item.low is None else f"[{_change(item.low)}, {_change(item.high)}]",
        str(item.n),
        NOTHING if item.format_before is None else f"{_share(item.format_before)} -> {_share(item.format_after)}",
        _change(item.delta_from_format),
        *((_share(item.hack_rate_after),) if hacked else ()),
        f"needs {item.needed}" if item.needed else item.verdict,
    )


def _summary_row(item: DomainSummary, hacked: bool) -> tuple[str, ...]:
    return (
        visible(item.domain),
        _share(item.reward),
        _interval(item),
        str(item.n),
        _share(item.format),
        _share(item.truncated),
        f"{item.tokens:.0f}",
        *((_share(item.hack_rate),) if hacked else ()),
    )


def _pass_row(item: DomainSummary, k: int) -> tuple[str, ...]:
    rate, majority = item.pass_at[k], item.majority if k == item.samples_per_task else None
    several = (_share(majority.value), _interval(majority)) if majority else (NOTHING, NOTHING)
    return visible(item.domain), str(k), _share(rate.value), _interval(rate), *several


def _interval(item: DomainSummary | Rate) -> str:
    return NOTHING if item.low is None else f"[{_share(item.low)}, {_share(item.high)}]"


def _comparison_notes(comparisons: Sequence[DomainComparison]) -> list[str]:
    few = any(item.needed for item in comparisons)
    notes = ["needs N: not enough data to call it unchanged; N tasks would do."] if few else []
    for item in comparisons:
        if item.unscored_before or item.unscored_after:
            notes.append(
                f"{visible(item.domain)}: not scored and left out: {item.unscored_before} before, "
                f"{item.unscored_after} after."
            )
        if max(item.truncated_before, item.truncated_after) >= 0.1:
            notes.append(
                f"{visible(item.domain)}: cut at the length limit: {item.truncated_before:.0%} before, "
                f"{item.truncated_after:.0%} after."
            )
        if item.hack_rate_before or item.hack_rate_after:
            notes.append(
                f"{visible(item.domain)}: with signs of cheating: {item.hack_rate_before:.1%} before, "
                f"{item.hack_rate_after:.1%} after."
            )
    return notes


def _summary_notes(summaries: Sequence[DomainSummary]) -> list[str]:
    return [
        f"{visible(item.domain)}: {item.unscored} of {item.samples} samples were not scored and are left out."
        for item in summaries
        if item.unscored
    ]


def _share(value: float | None) -> str:
    return NOTHING if value is None else f"{value:.2f}"


def _change(value: float | None) -> str:
    return NOTHING if value is None else f"{value:+.2f}"
