"""Starts workers in place of those that were lost, with patience while that cannot work."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from typing import Any

from rlpt.verifiers.process import CannotBuildError, WorkerProcess

PATIENCE_S = 20.0
"""How long a pool's workers may fail to start, as while a Docker engine restarts, before completions pay for it."""


class Replacements:
    """Verifiers that could be built once can be built again: where they cannot, it is what they stand on that fails."""

    def __init__(self, verifiers: Mapping[str, Mapping[str, Any]], memory_mb: int | None) -> None:
        self._verifiers = verifiers
        self._memory_mb = memory_mb
        self._lock = threading.Lock()
        self._failing_since: float | None = None  # of all threads together, so that the patience ends once

    def start(self, abandoned: Callable[[], bool]) -> WorkerProcess:
        """Start a worker for the calling thread.

        Raises:
            CannotBuildError: where it has failed for PATIENCE_S, or is `abandoned`.
            WorkerLostError: where it ends while it starts.
        """
        while True:
            try:
                worker = WorkerProcess(self._verifiers, self._memory_mb)
            except CannotBuildError:
                with self._lock:
                    self._failing_since = self._failing_since or time.monotonic()
                    if abandoned() or time.monotonic() >= self._failing_since + PATIENCE_S:
                        raise
            else:
                self._failing_since = None
                return worker
