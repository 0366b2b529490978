"""Compares two evaluations, task by task."""

from __future__ import annotations

from pathlib import Path

from rlpt.errors import UserError
from rlpt.evaluation.statistics import DomainComparison, compare_samples
from rlpt.evaluation.store import Evaluation, load_evaluation
from rlpt.evaluation.suite import check_same
from rlpt.run_dir import open_run


def compare_evaluations(before: Evaluation, after: Evaluation, confidence: float = 0.95) -> list[DomainComparison]:
    """Each domain that both have. Raises UserError where their suites differ."""
    check_same(before.suite, after.suite, (before.name, after.name))
    return compare_samples(before.samples, after.samples, confidence)


def compare_runs(candidate: str, reference: str, confidence: float = 0.95) -> list[DomainComparison]:
    """What `candidate` changes against `reference`: each `RUN`, `RUN@step` or `RUN@last` (`RUN` is `RUN@last`)."""
    return compare_evaluations(open_evaluation(reference), open_evaluation(candidate), confidence)


def open_evaluation(name: str) -> Evaluation:
    """The evaluation that `RUN`, `RUN@12` or `RUN@last` names. Raises UserError where there is none."""
    path, at, step = name.rpartition("@")
    if not at or Path(name).exists():
        return load_evaluation(open_run(Path(name)))
    if step != "last" and not step.isdecimal():
        raise UserError(f"{name} names no step of a run; write RUN@12 or RUN@last.")
    return load_evaluation(open_run(Path(path)), None if step == "last" else int(step))
