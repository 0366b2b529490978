"""How much memory this machine gives to this process."""

from __future__ import annotations

import os
from pathlib import Path

CGROUP_LIMITS = (
    Path("/sys/fs/cgroup/memory.max"),
    Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"),
)


def machine_memory_bytes() -> int:
    """Physical memory, or the limit of the container or batch job where that is lower."""
    total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return min([total, *filter(None, map(_limit, _limit_files()))])


def _limit_files() -> list[Path]:
    """The limits of this process's own control group (Slurm gives each job one) and of the container around it."""
    files = list(CGROUP_LIMITS)
    try:
        lines = Path("/proc/self/cgroup").read_text(encoding="ascii").splitlines()
    except (OSError, ValueError):
        return files
    for line in lines:
        _, controllers, path = line.split(":", 2)
        relative = path.lstrip("/")
        if controllers == "":
            files.append(Path("/sys/fs/cgroup") / relative / "memory.max")
        elif "memory" in controllers.split(","):
            files.append(Path("/sys/fs/cgroup/memory") / relative / "memory.limit_in_bytes")
    return files


def _limit(file: Path) -> int | None:
    try:
        return int(file.read_text(encoding="ascii"))
    except (OSError, ValueError):  # no such control group, or "max"
        return None
