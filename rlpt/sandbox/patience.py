"""Patience with something that fails and may come back, as a Docker engine that restarts does."""

from __future__ import annotations

import threading
import time

PATIENCE_S = 20.0
PAUSE_S = 0.2


class Patience:
    """Of all threads together, so that what stays away costs its time once and not once for each who needs it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._failing_since: float | None = None

    def once_more(self) -> bool:
        """Call it after a failure: whether to try again, after a pause that is taken here."""
        with self._lock:
            if self._failing_since is None:
                self._failing_since = time.monotonic()
            over = time.monotonic() >= self._failing_since + PATIENCE_S
        if not over:
            time.sleep(PAUSE_S)
        return not over

    def restored(self) -> None:
        """Call it when it works: the next failure has all the time again."""
        with self._lock:
            self._failing_since = None
