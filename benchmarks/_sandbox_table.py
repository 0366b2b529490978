"""The figures of the sandboxes beside what they shall reach."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

GOALS: Mapping[str, tuple[str, float]] = {
    "ratio_vs_docker_run": (">=", 10),
    "seen_ratio_vs_docker_run": (">=", 10),
    "ratio_vs_subprocess": (">=", 1),
    "seen_ratio_vs_subprocess": (">=", 1),
    "reset_ms_median": ("<", 10),
    "cold_pool_of_4_s": ("<=", 6),
    "soak_left_containers": ("<=", 0),
    "soak_left_processes": ("<=", 0),
    "soak_left_descriptors": ("<=", 0),
    "soak_left_files": ("<=", 0),
    "soak_rss_growth_mb": ("<=", 8),
    "soak_infra_errors": ("<=", 0),
}
"""By the end of a figure's name; what stands before it names the sandbox."""

ALL_OF = {
    "human_eval_correct": "human_eval_problems",
    "soak_verdicts_right": "soak_programs",
    "soak_statuses_right": "soak_statuses_known",
}
"""Counts that shall be as large as another."""

PREFIXES = ("", "process_")


def table(figures: Mapping[str, Any]) -> str:
    """A line for each figure: its name, the value, the goal, and whether it is reached."""
    lines = [line(name, value, *goal(name, figures)) for name, value in figures.items() if not isinstance(value, str)]
    missed = [text for text in lines if text.endswith("MISSED")]
    notes = [f"Docker was not measured: {figures['docker_missing']}."] if figures.get("docker_missing") else []
    notes += [f"{len(missed)} goals are missed." if missed else "All goals are reached."]
    return "\n".join([f"{'figure':40}{'value':>10}  goal", *lines, "", *notes])


def goal(name: str, figures: Mapping[str, Any]) -> tuple[str, bool]:
    """The goal of a figure as text, empty where it has none, and whether it is reached."""
    value = figures[name]
    size = len(value) if isinstance(value, list) else value
    for prefix in PREFIXES:
        bare = name.removeprefix(prefix)
        if bare in ALL_OF:
            whole = figures[f"{prefix if f'{prefix}{ALL_OF[bare]}' in figures else ''}{ALL_OF[bare]}"]
            return f"= {whole}", size == whole
        if bare in GOALS:
            sign, number = GOALS[bare]
            reached = {">=": size >= number, "<=": size <= number, "<": size < number}[sign]
            return f"{sign} {number:g}", reached
    return "", True


def line(name: str, value: object, wanted: str, reached: bool) -> str:
    """One line of the table; of a list its length, and what is in it below."""
    shown = len(value) if isinstance(value, list) else "-" if value is None else value
    remark = wanted if reached else f"{wanted:8}MISSED"
    text = f"{name:40}{shown!s:>10}  {remark}".rstrip()
    inner = [f"    {one}" for one in value] if isinstance(value, list) else []
    return "\n".join([*inner, text])
