"""What a sandbox is asked and what it answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

ExecutionStatus = Literal["ok", "timeout", "out_of_memory", "output_limit", "crash", "infra_error"]


@dataclass(frozen=True, slots=True)
class Limits:
    """What one program may use. `memory_mb` is MiB of all its processes; `output_bytes` of stdout and stderr each."""

    wall_s: float = 5.0
    memory_mb: int = 256
    output_bytes: int = 1_000_000
    processes: int = 32


@dataclass(frozen=True, slots=True)
class Call:
    """A call of a function that the program defines, with arguments that JSON can carry."""

    function: str
    args: Sequence[Any] = ()
    kwargs: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Program:
    """Python source, and what it is given. `calls` are made one after the other once the source has run.

    `files` are written into the program's working folder; names are plain file names.
    """

    source: str
    stdin: bytes = b""
    files: Mapping[str, bytes] = field(default_factory=dict)
    calls: Sequence[Call] = ()


@dataclass(frozen=True, slots=True)
class Execution:
    """What happened. `crash` is any ending with an error: an exception, a signal, an exit code that is not 0.

    `results` are the values of the calls as far as they returned, as `rlpt.sandbox.values` encodes them: fewer than
    calls where the program ended before. `seconds` is the program's own wall time, without waiting for a sandbox.
    """

    status: ExecutionStatus
    exit_code: int | None = None
    signal: int | None = None
    stdout: bytes = b""
    stderr: bytes = b""
    truncated: bool = False
    seconds: float = 0.0
    peak_memory_mb: float = 0.0
    results: Sequence[Any] = ()
    detail: str = ""


class Sandbox(Protocol):
    """Runs one program at a time, isolated from everything and from the program before it."""

    @property
    def name(self) -> str:
        """Which sandbox this is, for records."""
        ...

    def run(self, program: Program, limits: Limits | None = None) -> Execution:
        """Run `program`; within `limits`, or the sandbox's own. Never raises for what the program does."""
        ...

    async def run_async(self, program: Program, limits: Limits | None = None) -> Execution:
        """`run` without blocking the event loop."""
        ...

    def close(self) -> None:
        """End everything that belongs to the sandbox. May be called twice."""
        ...
