"""How much memory a program takes, all its processes and files together."""

from __future__ import annotations

import contextlib
import os
import resource
import time
from pathlib import Path

from rlpt.sandbox.inside.reset import SCRATCH, processes

PAGE = resource.getpagesize()
KILL_COUNTERS = (Path("/sys/fs/cgroup/memory/memory.oom_control"), Path("/sys/fs/cgroup/memory.events"))
"""Of cgroups v1 and v2."""


def in_use(limit: int, inherited: int, deadline: float) -> int:
    """Bytes of memory in use; where that is more than `limit`, or after `deadline`, at least so many.

    Resident pages are added up for each process by itself, less those that each has `inherited` from the supervisor,
    which is quick. Only where the sum is above the limit, pages that are shared are counted once; that is slow, all the
    more when many processes leave the supervisor little time.
    """
    files = 0
    for folder in SCRATCH:
        usage = os.statvfs(folder)
        files += (usage.f_blocks - usage.f_bfree) * usage.f_frsize
    pids = processes()
    resident = sum(max(0, own_size(pid) - inherited) for pid in pids)
    if resident + files > limit:
        resident = 0
        for pid in pids:
            if time.monotonic() > deadline or resident + files > limit:
                break
            resident += _proportional(pid)
    return resident + files


def kills() -> int:
    """How often the kernel has killed a process of this container for memory; 0 where it does not say."""
    for path in KILL_COUNTERS:
        with contextlib.suppress(OSError, ValueError):
            lines = path.read_text().splitlines()
            return sum(int(line.split()[1]) for line in lines if line.startswith("oom_kill "))
    return 0


def own_size(pid: int | str = "self") -> int:
    """Resident bytes of a process."""
    with contextlib.suppress(OSError, IndexError, ValueError):
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * PAGE
    return 0  # it has just ended


def _proportional(pid: int) -> int:
    """Bytes of a process, of shared pages its share alone; all its pages where it hides the shares."""
    with contextlib.suppress(OSError, ValueError):
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) * 1024
    return own_size(pid)
