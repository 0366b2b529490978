"""The client's end of a supervisor: frames over two byte streams, under a wall clock that the sandbox cannot stop."""

from __future__ import annotations

import json
import os
import select
import struct
import time
from collections.abc import Callable
from typing import Any

from rlpt.sandbox.protocol import Execution, Limits, Program

HEADER = struct.Struct("!Q")
GRACE_S = 5.0
"""How long a supervisor may take beyond a program's own limit before it counts as dead."""
MOST_ANSWER_BYTES = 64_000_000


class SandboxDied(Exception):
    """The supervisor ended, hung or broke the protocol; the sandbox must be replaced."""


def request(program: Program, limits: Limits) -> bytes:
    """The frame that asks for one execution.

    Raises:
        ValueError: for a file name that would leave the working folder.
    """
    for name in program.files:
        if not name or "/" in name or "\0" in name or name in (".", ".."):
            raise ValueError(f"{name!r} is no plain file name")
    payload = json.dumps(
        {
            "source": program.source,
            "stdin": program.stdin.decode("latin-1"),
            "files": {name: data.decode("latin-1") for name, data in program.files.items()},
            "calls": [
                {"function": call.function, "args": list(call.args), "kwargs": dict(call.kwargs)}
                for call in program.calls
            ],
            "limits": {
                "wall_s": limits.wall_s,
                "memory_mb": limits.memory_mb,
                "output_bytes": limits.output_bytes,
                "processes": limits.processes,
            },
        }
    ).encode()
    return HEADER.pack(len(payload)) + payload


def execution(answer: dict[str, Any]) -> Execution:
    """The Execution that a supervisor's answer describes."""
    results = []
    for line in answer["results"].split("\n")[:-1]:
        try:
            results.append(json.loads(line))
        except (ValueError, RecursionError):
            break  # the program wrote there itself; what came before still stands
    return Execution(
        status=answer["status"],
        exit_code=answer["exit_code"],
        signal=answer["signal"],
        stdout=answer["stdout"].encode("latin-1"),
        stderr=answer["stderr"].encode("latin-1"),
        truncated=answer["truncated"],
        seconds=answer["seconds"],
        peak_memory_mb=answer["peak_memory_mb"],
        results=results,
        detail=answer["detail"],
    )


class FrameReader:
    """Reads frames from a source of bytes under a deadline."""

    def __init__(self, read: Callable[[float], bytes]) -> None:
        """`read(seconds)` returns some bytes, b"" at the end, and raises TimeoutError when none came in time."""
        self._read = read
        self._buffer = b""

    def frame(self, timeout_s: float) -> bytes:
        """The next frame's payload.

        Raises:
            SandboxDied: where it does not come in time, or not at all.
        """
        deadline = time.monotonic() + timeout_s
        (length,) = HEADER.unpack(self.take(HEADER.size, deadline))
        if length > MOST_ANSWER_BYTES:
            raise SandboxDied(f"an answer of {length} bytes")
        return self.take(length, deadline)

    def take(self, count: int, deadline: float) -> bytes:
        """The next `count` bytes."""
        while len(self._buffer) < count:
            try:
                chunk = self._read(max(0.0, deadline - time.monotonic()))
            except TimeoutError:
                raise SandboxDied("no answer in time") from None
            if not chunk:
                raise SandboxDied("the supervisor ended")
            self._buffer += chunk
        taken, self._buffer = self._buffer[:count], self._buffer[count:]
        return taken


def read_fd(fd: int, seconds: float) -> bytes:
    """Some bytes from a file descriptor within `seconds`."""
    readable, _, _ = select.select([fd], [], [], seconds)
    if not readable:
        raise TimeoutError
    return os.read(fd, 1 << 20)
