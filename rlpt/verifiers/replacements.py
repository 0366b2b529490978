"""Starts workers in place of those that were lost, with patience while that cannot work."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from rlpt.sandbox.patience import Patience
from rlpt.verifiers.process import CannotBuildError, WorkerProcess


class Replacements:
    """Verifiers that could be built once can be built again: where they cannot, it is what they stand on that fails."""

    def __init__(self, verifiers: Mapping[str, Mapping[str, Any]], memory_mb: int | None) -> None:
        self._verifiers = verifiers
        self._memory_mb = memory_mb
        self._patience = Patience()

    def start(self, abandoned: Callable[[], bool]) -> WorkerProcess:
        """Start a worker for the calling thread.

        Raises:
            CannotBuildError: where that fails for long, or is `abandoned`.
            WorkerLostError: where it ends while it starts.
        """
        while True:
            try:
                worker = WorkerProcess(self._verifiers, self._memory_mb)
            except CannotBuildError:
                if abandoned() or not self._patience.once_more():
                    raise
            else:
                self._patience.restored()
                return worker
