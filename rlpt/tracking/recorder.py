"""One place to record a run: everything lands in the run directory, and the tracker mirrors it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from rlpt.records import Group
from rlpt.run_dir import RunDir
from rlpt.tracking.local import LocalRecord
from rlpt.tracking.protocol import Row, RunInfo, Tracker
from rlpt.tracking.samples import sample_rows


class Recorder:
    """The local record and its mirror. One process of a run holds it (rank 0).

    The local record is written first: what a tracker shows is always in the run directory too.
    """

    def __init__(self, info: RunInfo, make_tracker: Callable[[RunInfo], Tracker]) -> None:
        """Open both. `make_tracker` is `instantiate(cfg.tracker, _partial_=True)`."""
        self.local = LocalRecord(RunDir(info.folder), start_step=info.start_step)
        self.tracker = make_tracker(info)

    def log(self, step: int, metrics: Mapping[str, float]) -> None:
        """Record numbers of one step, with `tracker/failures` beside them."""
        self.local.log(step, {**metrics, "tracker/failures": self.tracker.failures})
        self.tracker.log(step, metrics)

    def rollouts(self, step: int, groups: Sequence[Group], advantages: Sequence[Sequence[float]]) -> None:
        """Record the groups of one step; the tracker gets a table of some."""
        self.local.rollouts(step, groups, advantages)
        self.tracker.log_samples(step, sample_rows(groups, advantages, self.tracker.samples_per_step))

    def evaluation(self, step: int, rows: Sequence[Row], metrics: Mapping[str, float]) -> None:
        """Record the samples of an evaluation and what they come to."""
        self.local.evaluation(step, rows)
        self.log(step, metrics)

    def summary(self, values: Mapping[str, Any]) -> None:
        """Write summary.json and the tracker's summary."""
        self.local.summary(values)
        self.tracker.summary(values)

    def finish(self, exit_code: int) -> None:
        """Close both. 0 says that the run ended well."""
        self.local.close()
        self.tracker.finish(exit_code)
