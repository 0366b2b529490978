"""One worker process, seen from the parent: started, asked for one verdict at a time under limits, killed.

Time and memory are watched from here, since a worker that hangs or swells cannot be trusted to watch itself.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import rlpt
from rlpt.verifiers.worker import OUT_OF_MEMORY

START_TIMEOUT_S = 120.0
CLOSE_TIMEOUT_S = 5.0
WATCH_S = 0.05
"""Between two looks at the memory of a worker that has not answered yet."""

_PAGE = os.sysconf("SC_PAGE_SIZE")
_CHUNK = 1 << 16


class WorkerLostError(Exception):
    """The worker hung, swelled or died; it has been killed. The message says which."""


class CannotBuildError(Exception):
    """A verifier cannot be built from its configuration."""


class WorkerProcess:
    """A running worker. Belongs to the thread that made it: Linux kills it when that thread ends."""

    def __init__(self, verifiers: Mapping[str, Mapping[str, Any]], memory_mb: int | None) -> None:
        self.memory_mb = memory_mb
        self.counters: dict[str, float] = {}
        """What its verifiers have counted, as of its last answer."""
        self._received = bytearray()
        self._socket, theirs = socket.socketpair()
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "rlpt.verifiers.worker", str(theirs.fileno())],
                pass_fds=(theirs.fileno(),),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,  # a verifier that prints must not disturb the parent's own output
                env=_environment(),
                start_new_session=True,  # killed as a group, with what a verifier has started; out of reach of Ctrl-C
            )
        setup = {"path": sys.path, "memory_mb": memory_mb, "verifiers": verifiers}
        answer = self.ask(json.dumps(setup).encode(), START_TIMEOUT_S)
        if "failed" in answer:
            self.kill()
            raise CannotBuildError(answer["failed"])

    def ask(
        self,
        request: bytes,
        timeout_s: float,
        overdue_s: float = math.inf,
        on_overdue: Callable[[], None] | None = None,
        abandoned: Callable[[], bool] = lambda: False,
    ) -> dict[str, Any]:
        """Send one request and return the answer; call `on_overdue` once if it is not there after `overdue_s`.

        Raises WorkerLostError where there is none or it is `abandoned`; then the worker has been killed.
        """
        started = time.monotonic()
        deadline = started + timeout_s
        overdue = started + overdue_s
        try:
            self._socket.settimeout(timeout_s)
            self._socket.sendall(request + b"\n")
            while (line := self._line()) is None:
                now = time.monotonic()
                if now >= deadline:
                    raise TimeoutError
                if abandoned():
                    raise ConnectionAbortedError
                if now >= overdue and on_overdue is not None:
                    on_overdue()
                    overdue = math.inf
                self._wait(min(deadline - now, WATCH_S))
            answer = json.loads(line)
        except TimeoutError:
            self.kill()
            raise WorkerLostError(f"no verdict within {timeout_s:.2g} s") from None
        except MemoryError:
            self.kill()
            raise WorkerLostError(f"more than {self.memory_mb} MB of memory") from None
        except (OSError, EOFError, ValueError):
            raise WorkerLostError(self._how_it_died()) from None
        if not isinstance(answer, dict):
            self.kill()
            raise WorkerLostError("an answer that is no verdict")
        self.counters = answer.get("counters", self.counters)
        return answer

    def close(self) -> None:
        """Let the worker close its verifiers and end; kill it where it does not."""
        self._socket.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(CLOSE_TIMEOUT_S)
        self.kill()

    def kill(self) -> None:
        """Kill the worker and what it has started, and reap it."""
        self._socket.close()
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()

    def _line(self) -> bytes | None:
        end = self._received.find(b"\n")
        if end < 0:
            return None
        line = bytes(self._received[:end])
        del self._received[: end + 1]
        return line

    def _wait(self, seconds: float) -> None:
        """Read what comes within the time; where nothing does, look at the worker's memory."""
        self._socket.settimeout(seconds)
        try:
            chunk = self._socket.recv(_CHUNK)
        except TimeoutError:
            if self.memory_mb is not None and self._memory_mb() > self.memory_mb:
                raise MemoryError from None
            return
        if not chunk:
            raise EOFError
        self._received += chunk

    def _memory_mb(self) -> float:
        """Resident memory of the worker, in MiB."""
        if sys.platform.startswith("linux"):
            with contextlib.suppress(OSError, IndexError, ValueError):
                return int(Path(f"/proc/{self._process.pid}/statm").read_text().split()[1]) * _PAGE / 2**20
            return 0.0
        listed = subprocess.run(
            ["ps", "-o", "rss=", "-p", str(self._process.pid)], capture_output=True, text=True, check=False
        )
        return int(listed.stdout.strip() or 0) / 1024

    def _how_it_died(self) -> str:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(1.0)
        code = self._process.poll()
        self.kill()
        if code == OUT_OF_MEMORY:
            return f"more than {self.memory_mb} MB of memory"
        if code is not None and code < 0:
            return f"killed by signal {-code}"
        return f"ended with exit status {code}"


def _environment() -> dict[str, str]:
    """The parent's environment, with rlpt importable wherever the parent has it from."""
    home = str(Path(rlpt.__file__).parents[1])
    paths = [home, *filter(None, [os.environ.get("PYTHONPATH")])]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
