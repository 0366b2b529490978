"""What every tracker can do. A tracker mirrors the local record; nothing in rlpt depends on it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Protocol

Row = Mapping[str, Any]
"""One row of a table: column name to string, number, bool or None."""

ArtifactKind = Literal["config", "suite", "checkpoint", "policy"]


@dataclass(frozen=True, slots=True)
class RunInfo:
    """What a tracker is told of the run it records.

    `config` is the resolved configuration as plain dicts and lists, `choices` the options of its groups by group
    (`algorithm` -> `grpo`). `job_type` is the verb (`train`, `eval`, `sft`). `start_step` is 0 for a new run and the
    checkpoint's step for a resumed one.
    """

    folder: Path
    name: str
    config: Mapping[str, Any]
    job_type: str = "train"
    tags: Sequence[str] = ()
    start_step: int = 0
    choices: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Artifact:
    """Something that a run was made with or has made, in versions: equal content is one version.

    `run` is the directory of the run that made it, where runs do not share it by its name. `texts` are small files by
    name; `folder` holds what is large: weights. `used`: the run was made with it.
    """

    kind: ArtifactKind
    name: str
    run: Path | None = None
    texts: Mapping[str, str] = field(default_factory=dict)
    folder: Path | None = None
    used: bool = False
    aliases: Sequence[str] = ()
    metadata: Mapping[str, Any] = field(default_factory=dict)


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
        """How many answers of each domain the tables of a step shall have; 0 for no tables."""

    @property
    def location(self) -> str:
        """Where a person finds the run: an address, a folder, or "" for nowhere."""

    def log(self, step: int, metrics: Mapping[str, float]) -> None:
        """Record numbers of one step. Steps never go down; several calls for one step are merged."""

    def log_table(self, step: int, name: str, rows: Sequence[Row]) -> None:
        """Record texts of one step as the table `name`. All rows have a `domain`."""

    def alert(self, step: int, title: str, text: str) -> None:
        """Tell people, in the way that they have chosen where the tracker has one."""

    def artifact(self, step: int, artifact: Artifact) -> None:
        """Record what the run was made with, or what there is of it after `step` steps."""

    def summary(self, values: Mapping[str, Any]) -> None:
        """Record what the run came to."""

    def finish(self, exit_code: int) -> None:
        """Close the record. 0 says that the run ended well. Calling it twice is allowed."""
