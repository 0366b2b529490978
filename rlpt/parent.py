"""Ending with the process that started this one, which may be killed without a word."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable


def when_orphaned(act: Callable[[], object], parent: int, period_s: float = 0.5) -> None:
    """Call `act` on a thread of its own once the process `parent` is no longer this one's parent.

    `parent`: os.getppid() as early as can be.
    """

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(period_s)
        act()

    threading.Thread(target=watch, name="parent-watch", daemon=True).start()
