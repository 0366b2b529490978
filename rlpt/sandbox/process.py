"""A sandbox out of Linux namespaces, for machines without Docker: no privilege needed, nothing to install."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import sysconfig
import tempfile
import time
from pathlib import Path

from rlpt.errors import UserError
from rlpt.sandbox import inside
from rlpt.sandbox.client import FrameReader, SandboxDied, read_fd
from rlpt.sandbox.protocol import Limits
from rlpt.sandbox.warm import WarmSandbox

START_TIMEOUT_S = 20.0


def process_sandbox(limits: Limits, reuse: int = 500) -> WarmSandbox:
    """A sandbox of the name `process`.

    Every program runs as its own first process of new pid, mount and IPC namespaces, in a user and network namespace
    without any device, as nobody where that can be, on a read-only root that holds Python and the system's libraries
    only.

    Raises:
        UserError: where the kernel does not allow such namespaces. It never runs a program unprotected.
    """
    problem = why_not()
    if problem:
        raise UserError(
            f"sandbox=process cannot isolate programs on this machine ({problem}); use sandbox=docker, or allow "
            "unprivileged user namespaces."
        )
    return WarmSandbox("process", NamespaceSupervisor, limits, reuse)


def why_not() -> str | None:
    """Why a sandbox cannot be made here, or None where one was."""
    if sys.platform != "linux":
        return f"it needs Linux namespaces and this is {sys.platform}"
    try:
        NamespaceSupervisor().kill()
    except (SandboxDied, OSError) as error:
        return str(error)
    return None


class NamespaceSupervisor:
    """`inside.py` in namespaces of its own, spoken to over pipes."""

    def __init__(self) -> None:
        """Start it and wait until it is ready. Raises SandboxDied with what it said where it cannot be started."""
        self._root = tempfile.mkdtemp(prefix="rlpt-root-")
        settings = json.dumps({"root": self._root, "read_only": python_paths()})
        self._log = tempfile.TemporaryFile()
        self._process = subprocess.Popen(
            [base_python(), "-I", "-S", str(Path(inside.__file__)), "process", settings],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            env={},
            start_new_session=True,
            close_fds=True,
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._stdin, out = self._process.stdin, self._process.stdout.fileno()
        self._frames = FrameReader(lambda seconds: read_fd(out, seconds))
        try:
            self._frames.take(1, time.monotonic() + START_TIMEOUT_S)
            _map_ids(self._process.pid)
            self._send(b"g")
            self._frames.frame(START_TIMEOUT_S)
        except (SandboxDied, OSError) as error:
            self.kill()
            raise SandboxDied(self._said() or str(error)) from error

    def ask(self, frame: bytes, timeout_s: float) -> bytes:
        """See Supervisor."""
        self._send(frame)
        return self._frames.frame(timeout_s)

    def kill(self) -> None:
        """See Supervisor. The kernel ends what runs in the namespace with its first process."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                with contextlib.suppress(OSError):
                    stream.close()
        with contextlib.suppress(OSError):
            os.rmdir(self._root)

    def _send(self, data: bytes) -> None:
        try:
            self._stdin.write(data)
            self._stdin.flush()
        except (BrokenPipeError, ValueError):
            raise SandboxDied("the supervisor ended") from None

    def _said(self) -> str:
        self._log.seek(0)
        lines = self._log.read().decode("utf-8", "replace").strip().splitlines()
        return lines[-1] if lines else ""


def base_python() -> str:
    """The interpreter outside any virtual environment: nothing that is installed there shall be visible inside."""
    return str(Path(getattr(sys, "_base_executable", sys.executable)).resolve())


def python_paths() -> list[str]:
    """What a program may see: the interpreter's standard library and the system's shared libraries, read-only."""
    standard = [sysconfig.get_path(name, vars={"base": sys.base_prefix, "platbase": sys.base_prefix}) for name in ("stdlib", "platstdlib")]
    system = ["/usr/lib", "/usr/lib64", "/usr/bin", "/lib", "/lib64", "/bin", "/usr/share/zoneinfo"]
    shared = str(Path(sys.base_prefix) / "lib")
    wanted = [*system, *(path for path in (*standard, shared) if path)]
    kept: list[str] = []
    for path in wanted:
        inside_another = any(path == other or path.startswith(f"{other}/") for other in kept)
        if not inside_another and os.path.lexists(path):
            kept.append(path)
    return kept


def _map_ids(pid: int) -> None:
    """Give the new user namespace its users: root of the host maps itself and nobody, anyone else only himself."""
    proc = Path(f"/proc/{pid}")
    if os.geteuid() == 0:
        maps = "0 0 1\n65534 65534 1\n"
        (proc / "uid_map").write_text(maps)
        (proc / "gid_map").write_text(maps)
        return
    (proc / "uid_map").write_text(f"0 {os.geteuid()} 1\n")
    (proc / "setgroups").write_text("deny")
    (proc / "gid_map").write_text(f"0 {os.getegid()} 1\n")
