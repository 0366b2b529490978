"""How much memory a program takes, all its processes and files together."""

from __future__ import annotations

import contextlib
import os
import resource
from pathlib import Path

from rlpt.sandbox.inside.reset import SCRATCH, processes

PAGE = resource.getpagesize()
KILL_COUNTERS = (Path("/sys/fs/cgroup/memory/memory.oom_control"), Path("/sys/fs/cgroup/memory.events"))
"""Of cgroups v1 and v2."""


def in_use(limit: int) -> int:
    """Bytes of memory in use, exact where that is more than `limit`.

    Resident pages are added up for each process by itself, which is quick, and counted once for all that share them
    where the sum is above the limit.
    """
    files = 0
    for folder in SCRATCH:
        usage = os.statvfs(folder)
        files += (usage.f_blocks - usage.f_bfree) * usage.f_frsize
    pids = processes()
    resident = sum(_resident(pid) for pid in pids)
    if resident + files > limit:
        resident = sum(_proportional(pid) for pid in pids)
    return resident + files


def kills() -> int:
    """How often the kernel has killed a process of this container for memory; 0 where it does not say."""
    for path in KILL_COUNTERS:
        with contextlib.suppress(OSError, ValueError):
            lines = path.read_text().splitlines()
            return sum(int(line.split()[1]) for line in lines if line.startswith("oom_kill "))
    return 0


def _resident(pid: int) -> int:
    with contextlib.suppress(OSError, IndexError, ValueError):
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * PAGE
    return 0  # it has just ended


def _proportional(pid: int) -> int:
    """Bytes of a process, of shared pages its share alone; all its pages where it hides the shares."""
    with contextlib.suppress(OSError, ValueError):
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) * 1024
    return _resident(pid)
