"""How much memory a program takes, all its processes and files together."""

from __future__ import annotations

import contextlib
import os
import resource
import time

from rlpt.sandbox.inside.reset import SCRATCH, processes

PAGE = resource.getpagesize()
KILL_COUNTERS = tuple(
    path
    for path in ("/sys/fs/cgroup/memory/memory.oom_control", "/sys/fs/cgroup/memory.events")
    if os.access(path, os.R_OK)
)
"""Of cgroups v1 and v2, where there are any."""

_LONGEST = 16384


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
            lines = _content(path).splitlines()
            return sum(int(line.split()[1]) for line in lines if line.startswith(b"oom_kill "))
    return 0


def own_size(pid: int | str = "self") -> int:
    """Resident bytes of a process."""
    with contextlib.suppress(OSError, IndexError, ValueError):
        return int(_content(f"/proc/{pid}/statm").split()[1]) * PAGE
    return 0  # it has just ended


def _proportional(pid: int) -> int:
    """Bytes of a process, of shared pages its share alone; all its pages where it hides the shares."""
    with contextlib.suppress(OSError, ValueError):
        for line in _content(f"/proc/{pid}/smaps_rollup").splitlines():
            if line.startswith(b"Pss:"):
                return int(line.split()[1]) * 1024
    return own_size(pid)


def _content(path: str) -> bytes:
    """Read a small file of the kernel's, in plain calls of the system, as `rlpt.sandbox.inside.reset` has them."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        return os.read(descriptor, _LONGEST)
    finally:
        os.close(descriptor)


class Kills:
    """Tells whether there were more of them since it was last asked."""

    def __init__(self) -> None:
        self._count = kills()

    def more(self) -> bool:
        """Ask."""
        before, self._count = self._count, kills()
        return self._count > before


KILLS = Kills()
"""Asked once after each program and each piece of one."""
