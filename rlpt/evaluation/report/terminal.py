"""The report on a terminal."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import IO

from rlpt.evaluation.report.columns import columns, end_of, excerpt
from rlpt.evaluation.report.curves import ASCII_BLOCKS, BLOCKS, bounds, drawn, marked, sparkline
from rlpt.evaluation.report.report import Against, Report
from rlpt.evaluation.report.tasks import Moved
from rlpt.evaluation.report.words import COST_ROWS, conclusion, cost_cells, judged, setting, starred
from rlpt.evaluation.table import WIDTH, print_table
from rlpt.evaluation.text import emit, visible

CURVE = 40
ANSWER_LINES, PROMPT_LINES = 12, 6


def print_report(report: Report, n: int = 2, stream: IO[str] | None = None) -> None:
    """Print all sections; of the tasks lost and won, `n` of each in each domain, against the first reference only."""
    out = stream or sys.stdout
    emit(_heading(report), out)
    for one in report.against:
        before, after = one.reference.letter, report.candidate.letter
        emit(f"\n{after} against {before} (before: {before}, after: {after})", out)
        emit(f"{visible(conclusion(one))}\n", out)
        print_table(one.table, out)
        if one.left_out:
            emit(f"Not compared, as only one of the two was evaluated on it: {visible(', '.join(one.left_out))}.", out)
    emit(f"\nConfigs (* = set on the command line)\n{_config(report)}", out)
    emit(f"\nLearning: mean reward of each step's samples\n{_curves(report, out)}", out)
    emit(f"\nCost up to the step that is compared\n{_costs(report)}", out)
    for number, one in enumerate(report.against):
        emit(f"\nTasks lost and won, {report.candidate.letter} against {one.reference.letter}\n{_counts(one)}", out)
        if number == 0:
            for text in _texts(report.candidate.letter, one, n):
                emit(text, out)


def _heading(report: Report) -> str:
    kinds = ["candidate", *["reference"] * len(report.against)]
    rows = [(source.letter, source.name, kind) for source, kind in zip(report.sources, kinds, strict=True)]
    return columns(rows, (2, 80, 12))


def _config(report: Report) -> str:
    if not report.config:
        return "No difference."
    key = min(44, max(len(item.key) for item in report.config))
    width = max(12, (WIDTH - key) // len(report.sources) - 2)
    rows = [["", *(source.letter for source in report.sources)]]
    for item in report.config:
        cells = zip(item.values, item.overridden, strict=True)
        rows.append([item.key, *(starred(end_of(setting(value), width - 1), by_hand) for value, by_hand in cells)])
    return columns(rows, (key, *[width] * len(report.sources)))


def _curves(report: Report, out: IO[str]) -> str:
    blocks = BLOCKS if _writes(out, BLOCKS) else ASCII_BLOCKS
    rows = [["", "", "each step", "first", "last", "evaluation"]]
    for domain, whole in report.curves.items():
        of_domain = drawn(whole, CURVE)
        low, high = bounds(of_domain)
        for curve in of_domain:
            rewards = curve.train[1]
            ends = [f"{rewards[0]:.2f}", f"{rewards[-1]:.2f}"] if rewards else ["-", "-"]
            at = [f"{letter} {reward:.2f} @{step}" for letter, (step, reward) in marked(curve, report.steps).items()]
            line = sparkline(rewards, low, high, blocks) or "-"
            name = domain if curve is of_domain[0] else ""
            rows.append([name, curve.letters, line, *ends, ", ".join(at)])
    return columns(rows, (24, None, None, None, None, None)) if len(rows) > 1 else "No metrics."


def _costs(report: Report) -> str:
    head = ["", *(source.letter for source in report.sources)]
    cells = [cost_cells(cost) for cost in report.costs]
    rows = [head, *([name, *(column[index] for column in cells)] for index, name in enumerate(COST_ROWS))]
    return columns(rows, [None] * len(head), right=True)


def _counts(one: Against) -> str:
    rows = [
        [domain, f"{len(tasks.lost)} lost", f"{len(tasks.won)} won", f"of {tasks.n}"]
        for domain, tasks in one.tasks.items()
    ]
    return columns(rows, (40, None, None, None), right=True)


def _texts(candidate: str, one: Against, n: int) -> Sequence[str]:
    return [
        _side_by_side(kind, item, candidate, one.reference.letter)
        for tasks in one.tasks.values()
        for kind, items in (("lost", tasks.lost), ("won", tasks.won))
        for item in items[:n]
    ]


def _side_by_side(kind: str, item: Moved, candidate: str, reference: str) -> str:
    half = WIDTH // 2 - 2
    heads = [f"{letter}: {judged(answer)}" for letter, answer in ((reference, item.before), (candidate, item.after))]
    texts = [excerpt(answer.text, ANSWER_LINES, half) for answer in (item.before, item.after)]
    title = " ".join(f"-- {kind}: {item.domain} / {item.task_id}".split())
    return "\n".join(
        (
            "\n" + f"{visible(title[:WIDTH])} ".ljust(WIDTH, "-"),
            columns([[excerpt(item.prompt, PROMPT_LINES, WIDTH, end=True)]], [WIDTH], "fold"),
            "",
            columns([[excerpt(head, 4, half) for head in heads], texts], [half, half], "fold"),
        )
    )


def _writes(out: IO[str], text: str) -> bool:
    try:
        text.encode(getattr(out, "encoding", None) or "utf-8")
    except UnicodeEncodeError:
        return False
    return True
