"""No tracker beside the local record."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rlpt.tracking.protocol import Artifact, Row, RunInfo


class NoTracker:
    """Takes everything and keeps nothing."""

    failures = 0
    samples_per_step = 0
    location = ""

    def __init__(self, info: RunInfo) -> None:
        pass

    def log(self, step: int, metrics: Mapping[str, float]) -> None:
        """Nothing to do."""

    def log_table(self, step: int, name: str, rows: Sequence[Row]) -> None:
        """Nothing to do."""

    def alert(self, step: int, title: str, text: str) -> None:
        """Nothing to do."""

    def artifact(self, step: int, artifact: Artifact) -> None:
        """Nothing to do."""

    def summary(self, values: Mapping[str, Any]) -> None:
        """Nothing to do."""

    def finish(self, exit_code: int) -> None:
        """Nothing to do."""
