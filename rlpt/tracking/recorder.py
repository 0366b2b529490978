"""One place to record a run: everything lands in the run directory, and the tracker mirrors it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from rlpt.records import Group
from rlpt.run_dir import RunDir
from rlpt.tracking.alerts import regression_alert
from rlpt.tracking.artifacts import checkpoint_artifact
from rlpt.tracking.local import LocalRecord
from rlpt.tracking.protocol import Artifact, Row, RunInfo, Tracker
from rlpt.tracking.samples import evaluation_rows, sample_rows

MOVED_FOR_SAMPLES = 5
"""Tasks won, and as many lost, in a table for each sample that the tracker wants of a domain."""


class Recorder:
    """The local record and its mirror. One process of a run holds it (rank 0).

    The local record is written first: what a tracker shows is always in the run directory too.
    """

    def __init__(self, info: RunInfo, make_tracker: Callable[[RunInfo], Tracker]) -> None:
        """Open both. `make_tracker` is `instantiate(cfg.tracker, _partial_=True)`."""
        self.local = LocalRecord(RunDir(info.folder), start_step=info.start_step)
        self.tracker = make_tracker(info)
        self.local.lineage.listener = self._mirror

    def log(self, step: int, metrics: Mapping[str, float]) -> None:
        """Record numbers of one step, with `tracker/failures` beside them."""
        self.local.log(step, {**metrics, "tracker/failures": self.tracker.failures})
        self.tracker.log(step, metrics)

    def rollouts(self, step: int, groups: Sequence[Group], advantages: Sequence[Sequence[float]]) -> None:
        """Record the groups of one step; the tracker gets a table of some."""
        self.local.rollouts(step, groups, advantages)
        if wanted := self.tracker.samples_per_step:
            self.tracker.log_table(step, "samples/train", sample_rows(groups, advantages, wanted))

    def evaluation(self, step: int, rows: Sequence[Row], metrics: Mapping[str, float]) -> None:
        """Record the samples of an evaluation and what they come to; the tracker gets a table of some samples."""
        self.local.evaluation(step, rows)
        self.log(step, metrics)
        if wanted := self.tracker.samples_per_step:
            self.tracker.log_table(step, "samples/eval", evaluation_rows(rows, wanted))

    def moved(self, step: int, rows: Callable[[int], Sequence[Row]]) -> None:
        """Show the tasks that an evaluation won and lost.

        `rows(n)`: up to `n` won and `n` lost of each domain, only made where the tracker has tables. The local record
        has the samples of all evaluations.
        """
        if wanted := self.tracker.samples_per_step:
            self.tracker.log_table(step, "samples/moved", rows(MOVED_FOR_SAMPLES * wanted))

    def artifact(self, step: int, artifact: Artifact) -> None:
        """Record what the run was made with or has made. It lies in the run directory already."""
        self.tracker.artifact(step, artifact)

    def summary(self, values: Mapping[str, Any]) -> None:
        """Write summary.json and the tracker's summary."""
        self.local.summary(values)
        self.tracker.summary(values)

    def finish(self, exit_code: int) -> None:
        """Close both. 0 says that the run ended well."""
        self.local.close()
        self.tracker.finish(exit_code)

    def _mirror(self, event: Mapping[str, Any]) -> None:
        """Checkpoints become artifacts, and evaluations with a regression alerts."""
        if event["event"] == "checkpoint":
            self.tracker.artifact(event["step"], checkpoint_artifact(self.local.run, event["step"]))
        elif (alert := regression_alert(event)) is not None:
            self.tracker.alert(event["step"], *alert)
