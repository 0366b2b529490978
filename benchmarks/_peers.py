"""What a sandbox of warm cells is compared with: a process, and a container of `docker run`, for every program."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
import time
import venv
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from typing import TypeVar

from rlpt.sandbox.docker import MAX_FILES, NOBODY, SUPERVISOR_MB, SUPERVISOR_PROCESSES
from rlpt.sandbox.image import PYTHON, image_tag
from rlpt.sandbox.protocol import Limits

AT_ONCE = 2
PATIENCE_S = 60.0

T = TypeVar("T")
R = TypeVar("R")


def in_turn(work: Callable[[T], R], items: Sequence[T]) -> tuple[list[R], float]:
    """Do all, two at once, and return what came of each, and the seconds that all took."""
    start = time.perf_counter()
    with ThreadPoolExecutor(AT_ONCE) as threads:
        done = list(threads.map(work, items))
    return done, time.perf_counter() - start


@contextmanager
def bare_python() -> Iterator[str]:
    """The path of this Python in an environment without packages: their start-up files would cost each process time."""
    with tempfile.TemporaryDirectory(prefix="rlpt-bare-") as folder:
        venv.create(folder, with_pip=False, symlinks=True)
        yield f"{folder}/bin/python"


def subprocess_passes(python: str) -> Callable[[str], bool]:
    """Return what runs a program in a process of its own, unprotected."""
    return partial(_ends_well, [python, "-I", "-"])


def docker_run_passes() -> Callable[[str], bool]:
    """Return what runs a program in a container of its own, with the limits that a cell of the sandbox has."""
    command = ["docker", "run", "--rm", "--interactive", *protection(Limits()), image_tag(), PYTHON, "-I", "-"]
    return partial(_ends_well, command)


def docker_cli() -> str | None:
    """The path of Docker's command."""
    return shutil.which("docker")


def protection(limits: Limits) -> list[str]:
    """`rlpt.sandbox.docker.container_settings` in the words of `docker run`."""
    scratch = f"rw,noexec,nosuid,nodev,size={limits.disk_mb}m,nr_inodes={MAX_FILES},mode=1777"
    memory = f"{limits.memory_mb + SUPERVISOR_MB}m"
    files = max(64, limits.open_files)
    return [
        *("--network", "none", "--ipc", "none", "--read-only", "--cap-drop", "ALL", "--user", NOBODY),
        *("--security-opt", "no-new-privileges", "--pids-limit", str(limits.processes + SUPERVISOR_PROCESSES)),
        *("--memory", memory, "--memory-swap", memory, "--cpus", "1", "--log-driver", "none"),
        *("--tmpfs", f"/tmp:{scratch}", "--tmpfs", f"/dev/shm:{scratch}", "--workdir", "/tmp"),
        *("--ulimit", f"nofile={files}:{files}", "--ulimit", "core=0", "--ulimit", "memlock=0"),
    ]


def _ends_well(command: Sequence[str], script: str) -> bool:
    done = subprocess.run(command, input=script.encode(), capture_output=True, timeout=PATIENCE_S, check=False)
    return done.returncode == 0
