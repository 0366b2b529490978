"""What every tracker can do. A tracker mirrors the local record; nothing in rlpt depends on it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

Row = Mapping[str, Any]
"""One row of a table of samples: column name to string, number, bool or None."""


@dataclass(frozen=True, slots=True)
class RunInfo:
    """What a tracker is told of the run it records.

    `config` is the resolved configuration as plain dicts and lists. `job_type` is the verb (`train`, `eval`, `sft`).
    `start_step` is 0 for a new run and the checkpoint's step for a resumed one.
    """

    folder: Path
    name: str
    config: Mapping[str, Any]
    job_type: str = "train"
    tags: Sequence[str] = ()
    start_step: int = 0


class Tracker(Protocol):
    """Takes what a run measures. No method raises for a failure of the service behind it: it counts it.

    Trackers are built by `instantiate(cfg.tracker, _partial_=True)(info)`, so their configuration gives all
    arguments but the RunInfo.
    """

    @property
    def failures(self) -> int:
        """How many calls did not reach the tracker's store."""

    @property
    def samples_per_step(self) -> int:
        """How many answers of each domain `log_samples` wants of a step."""

    @property
    def location(self) -> str:
        """Where a person finds the run: an address, a folder, or "" for nowhere."""

    def log(self, step: int, metrics: Mapping[str, float]) -> None:
        """Record numbers of one step. Steps never go down; several calls for one step are merged."""

    def log_samples(self, step: int, rows: Sequence[Row]) -> None:
        """Record texts of one step as a table."""

    def summary(self, values: Mapping[str, Any]) -> None:
        """Record what the run came to."""

    def finish(self, exit_code: int) -> None:
        """Close the record. 0 says that the run ended well. Calling it twice is allowed."""
