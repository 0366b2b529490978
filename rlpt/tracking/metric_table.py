"""The tables of docs/metrics.md, from the list of all metrics: `python -m rlpt.tracking.metric_table`."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from pathlib import Path

from rlpt.config.paths import conf_dir
from rlpt.tracking.metric_names import Metric
from rlpt.tracking.metrics_of_runs import SECTIONS

HEAD = ("name", "meaning", "unit", "healthy", "only with")
BEGIN, END = "<!-- metrics: begin -->", "<!-- metrics: end -->"


def tables() -> str:
    """One table of Markdown for each section."""
    return "\n\n".join(f"## {title}\n\n{_table(metrics)}" for title, metrics in SECTIONS.items())


def with_tables(text: str) -> str:
    """The documentation's text with the tables between its two marks made anew."""
    before, _, rest = text.partition(BEGIN)
    return f"{before}{BEGIN}\n{tables()}\n{END}{rest.partition(END)[2]}"


def _table(metrics: Sequence[Metric]) -> str:
    return "\n".join(_line(cells) for cells in (HEAD, ["---"] * len(HEAD), *map(_row, metrics)))


def _row(metric: Metric) -> list[str]:
    return [f"`{metric.name}`", metric.meaning, metric.unit, metric.healthy, metric.when]


def _line(cells: Sequence[str]) -> str:
    return re.sub(" +", " ", f"| {' | '.join(cells)} |")


def main(file: Path) -> None:
    """Make the tables in `file` anew."""
    file.write_text(with_tables(file.read_text()))


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else conf_dir().parent / "docs" / "metrics.md")
