"""`sandbox=process`: namespaces and limits of the Linux kernel, without Docker. Where the kernel refuses, an error."""

from __future__ import annotations

import contextlib
import json
import os
import platform
import select
import socket
import subprocess
import sys
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from rlpt.errors import UserError
from rlpt.sandbox import wire
from rlpt.sandbox.cell import Cell, CellLostError, CellOverdueError, Connection
from rlpt.sandbox.inside.confine import ARCHITECTURES
from rlpt.sandbox.protocol import Limits
from rlpt.sandbox.runtime import LEFT_OUT, python_runtime
from rlpt.sandbox.warm import REUSE, WarmSandbox

LAST_WORDS_S = 1.0
LAUNCHER = Path(__file__).with_name("namespaces.py")
COUNTS_BY_NAMESPACE = (5, 14)
"""Linux from here on limits the processes of a user in each user namespace by itself."""


def process_sandbox(
    limits: Limits | Mapping[str, Any] | None = None,
    concurrency: int | None = None,
    reuse: int = REUSE,
    chosen_because: str = "sandbox=process was asked for",
) -> WarmSandbox:
    """Return a sandbox whose cells are processes in namespaces of their own.

    Args:
        limits: of every program; may be tightened for one.
        concurrency: programs at once; None: one for each CPU core.
        reuse: programs after which the namespaces are replaced; 0: each program has new ones.
        chosen_because: for people.

    Raises:
        UserError: where this machine or its kernel cannot do that. Nothing is ever run unprotected.
    """
    if sys.platform != "linux":
        raise UserError("sandbox=process needs Linux; start a Docker engine and use sandbox=docker.")
    if platform.machine() not in ARCHITECTURES:
        raise UserError(f"sandbox=process does not know {platform.machine()} processors; use sandbox=docker.")
    limits = Limits.of(limits)
    try:
        kernel = wire.Kernel(counts_processes=counts_processes(), own_cpu_share=False)
        return WarmSandbox("process", partial(open_cell, limits), limits, concurrency, chosen_because, kernel, reuse)
    except (CellLostError, CellOverdueError) as error:
        raise UserError(
            f"sandbox=process does not work here: {error}; allow user namespaces (sysctl user.max_user_namespaces, "
            "kernel.unprivileged_userns_clone, kernel.apparmor_restrict_unprivileged_userns) or start a Docker engine "
            "and use sandbox=docker."
        ) from error


def why_not() -> str | None:
    """Why `sandbox=process` does not work here; None where it does. Starts one and ends it."""
    try:
        process_sandbox(concurrency=1).close()
    except UserError as error:
        return str(error)
    return None


def open_cell(limits: Limits) -> Cell:
    """Start a supervisor in namespaces of its own. Raises CellLostError with the reason where that fails."""
    ours, theirs = socket.socketpair()
    with theirs:
        try:
            launcher = subprocess.Popen(
                [sys.executable, "-I", "-S", str(LAUNCHER), json.dumps(plan(limits))],
                stdin=theirs.fileno(),
                stdout=theirs.fileno(),
                stderr=subprocess.PIPE,
                env=dict(wire.ENVIRONMENT),
                cwd="/",
                start_new_session=True,  # out of reach of Ctrl-C, which is the client's to handle
            )
        except OSError as error:
            ours.close()
            raise CellLostError(str(error)) from error

    def end() -> None:
        launcher.kill()  # the supervisor dies with it, and all processes with the supervisor
        launcher.wait()
        if launcher.stderr is not None:
            launcher.stderr.close()

    return Cell(Connection(ours), end, lambda: _last_words(launcher))


def plan(limits: Limits) -> dict[str, object]:
    """What `namespaces.py` is told."""
    runtime = python_runtime()
    return {
        "command": [runtime.executable, *wire.PYTHON_OPTIONS, "-c", wire.BOOT],
        "environment": {**wire.ENVIRONMENT, "LD_LIBRARY_PATH": runtime.library_path},
        "folders": runtime.folders,
        "left_out": sorted(LEFT_OUT),
        "files": runtime.files,
        "links": runtime.links,
        "disk_mb": limits.disk_mb,
    }


def counts_processes() -> bool:
    """Whether the kernel limits the processes of each sandbox by themselves."""
    version = platform.release().split("-")[0].split(".")[:2]
    with contextlib.suppress(ValueError):
        return tuple(map(int, version)) >= COUNTS_BY_NAMESPACE
    return False


def _last_words(launcher: subprocess.Popen[bytes]) -> str:
    """The last line that launcher or supervisor wrote to standard error."""
    with contextlib.suppress(OSError, ValueError):  # another thread may have closed it
        assert launcher.stderr is not None
        if select.select([launcher.stderr], [], [], LAST_WORDS_S)[0]:
            text = os.read(launcher.stderr.fileno(), 65536).decode("utf-8", "replace")
            return next(reversed(text.strip().splitlines()), "")
    return ""
