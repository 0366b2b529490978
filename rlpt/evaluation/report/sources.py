"""What `rlpt compare` is given: each name opened as an evaluation, with all that its run says of how it came to be."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from string import ascii_uppercase
from typing import Any

from rlpt.config.record import recorded_config, recorded_overrides
from rlpt.errors import UserError
from rlpt.evaluation.report.measured import measured
from rlpt.evaluation.store import Evaluation, load_evaluation
from rlpt.evaluation.summary import read_summary
from rlpt.run_dir import RunDir, split_step
from rlpt.tracking.metrics_log import read_metrics


@dataclass(frozen=True, slots=True)
class Source:
    """One evaluation that is compared, under the letter that stands for it in the report.

    `given`: what the user wrote; `step`: the step of `run` that was evaluated. What the run does not hold is empty.
    """

    letter: str
    given: str
    run: RunDir
    step: int
    evaluation: Evaluation
    config: Mapping[str, Any]
    overrides: Sequence[str]
    metrics: Sequence[Mapping[str, Any]]
    summary: Mapping[str, Any]

    @property
    def name(self) -> str:
        """The run directory with the step."""
        return self.evaluation.name


def open_sources(names: Sequence[str]) -> list[Source]:
    """Open each of `RUN`, `RUN@12`, `RUN@last` or a model folder that was measured, as A, B, C, ...

    Raises UserError for too many names, or where one has no evaluation.
    """
    if len(names) > len(ascii_uppercase):
        raise UserError(f"{len(names)} runs are too many for one comparison; name at most {len(ascii_uppercase)}.")
    return [_open(letter, name) for letter, name in zip(ascii_uppercase, names, strict=False)]


def _open(letter: str, name: str) -> Source:
    folder, asked = split_step(name)
    if asked is None and "@" in name and not folder.exists():
        run_name = name.rpartition("@")[0]
        raise UserError(f"{name} names no step of a run; write {run_name}@12 or {run_name}@last.")
    run = measured(folder)
    step = run.evaluation_steps()[-1] if asked is None or asked == "last" else int(asked)
    return Source(
        letter=letter,
        given=name,
        run=run,
        step=step,
        evaluation=load_evaluation(run, step),
        config=recorded_config(run.root) if run.config.is_file() else {},
        overrides=recorded_overrides(run.root) if run.overrides.is_file() else [],
        metrics=read_metrics(run.metrics) if run.metrics.is_file() else [],
        summary=read_summary(run) if run.summary.is_file() else {},
    )
