"""What a sandbox is: it runs a program that nobody trusts and says what happened, never whether that was right."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from rlpt.errors import UserError

ExecutionStatus = Literal["ok", "timeout", "out_of_memory", "output_limit", "crash", "infra_error"]


class SandboxError(RuntimeError):
    """The sandbox failed, which says nothing about a program. The message says how."""


BOUNDS = {
    "wall_s": (0.001, 1e6),
    "cpu_s": (0.001, 1e6),
    "memory_mb": (16, 2**20),
    "output_bytes": (1, 2**27),
    "processes": (1, 2**15),
    "disk_mb": (1, 2**15),
    "open_files": (8, 4096),
}
"""Least and most of each limit: what Python needs to start, and what a sandbox can still keep or hold."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What one program may use; a program that needs more of anything is ended.

    `wall_s`: seconds from its start to its end; waiting for a free place is no part of it. `cpu_s`: seconds of CPU time
    of each of its processes. `memory_mb`: MiB of all its processes and files together. `output_bytes`: standard output
    and error together; the results of calls may have as much again. `processes`: processes and threads.
    `disk_mb`: MiB of files in /tmp, and again in /dev/shm; gone when the program ends. `open_files`: of each process.
    """

    wall_s: float = 5.0
    cpu_s: float = 5.0
    memory_mb: int = 256
    output_bytes: int = 1_000_000
    processes: int = 64
    disk_mb: int = 16
    open_files: int = 64

    def __post_init__(self) -> None:
        for name, (least, most) in BOUNDS.items():
            value = getattr(self, name)
            if not least <= value <= most:  # not a number is neither
                raise UserError(f"sandbox.limits.{name}={value:g} must be a number from {least:g} to {most:g}.")

    @classmethod
    def of(cls, limits: Limits | Mapping[str, Any] | None) -> Limits:
        """Return limits that come as a node of a configuration, or None for the defaults, as an object."""
        if isinstance(limits, Limits):
            return limits
        return cls(**{str(name): value for name, value in (limits or {}).items()})


@dataclass(frozen=True, slots=True)
class Call:
    """Arguments of one call: plain values, as `CallResult` has them."""

    args: Sequence[Any] = ()
    kwargs: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Calls:
    """Calls of a function that the program defines, one after the other in the program's own process.

    What they return comes back beside the program's output, as `Execution.results`. A program that is called runs as
    the module `program`, so that its `if __name__ == "__main__":` part does not run. `prelude`: Python text that runs
    before it in the same module; the program's names replace the prelude's.
    """

    entry_point: str
    calls: Sequence[Call]
    prelude: str = ""


@dataclass(frozen=True, slots=True)
class CallResult:
    """What one call did. `value` is meaningful where `returned`, `error` (one line) where not.

    Values are rebuilt from None, bool, int, float, str, bytes, list, tuple, set, frozenset and dict; instances of
    subclasses arrive as what they extend; anything else arrives as `Opaque`. As everything that leaves a sandbox they
    are the program's own claim: compare them, trust them with nothing.
    """

    returned: bool
    value: Any = None
    error: str = ""


@dataclass(frozen=True, slots=True)
class Opaque:
    """A result that is no plain value; equal to nothing that a reference can hold."""

    kind: str


@dataclass(frozen=True, slots=True)
class Execution:
    """What happened to one program.

    status: `ok`: it ended by itself with exit code 0. `crash`: it ended in another way: an exception, an exit code, a
        signal. `timeout`, `out_of_memory`, `output_limit`: it met that limit. `infra_error`: the sandbox failed, which
        says nothing about the program.
    exit_code: None where a signal or a limit ended it; then `signal` is the signal's number, where there was one.
    truncated: output beyond the limit was lost.
    seconds: from its start to its end. peak_memory_mb: MiB, at least what its first process had resident.
    results: one for each call that was finished, in order.
    detail: one line for a person, where the status alone does not say enough.
    signs: what it did that has no honest reason, a few words each, such as writing to the descriptor of the results.
    reset_s: seconds that cleaning up after it took; no part of `seconds`.
    state_lost: the state of a session did not outlive this piece.
    """

    status: ExecutionStatus
    exit_code: int | None = None
    signal: int | None = None
    stdout: bytes = b""
    stderr: bytes = b""
    truncated: bool = False
    seconds: float = 0.0
    peak_memory_mb: float = 0.0
    results: tuple[CallResult, ...] = ()
    detail: str = ""
    signs: tuple[str, ...] = ()
    reset_s: float = 0.0
    state_lost: bool = False


class Session(Protocol):
    """A program that is written piece by piece and keeps its state, as at Python's prompt, until it is closed.

    It has a child and a scratch folder of its own and stands still between two pieces. Use it from one thread or task
    at a time.
    """

    async def run(self, code: str, files: Mapping[str, bytes] | None = None, limits: Limits | None = None) -> Execution:
        """Run the next piece; where it ends with an expression, the value's `repr` is printed.

        `files` are written before. The state outlives an exception (status `crash`). It does not outlive a limit, or
        the end of the interpreter: the next piece then starts afresh (`state_lost`). Never raises for anything that
        a program does.
        """
        ...

    def run_sync(self, code: str, files: Mapping[str, bytes] | None = None, limits: Limits | None = None) -> Execution:
        """Do the same in the calling thread."""
        ...

    def files(self) -> dict[str, bytes]:
        """The regular files in its folder, by name relative to it; what is too large to be taken out is left out.

        Raises:
            SandboxError: where the sandbox fails.
        """
        ...

    def close(self) -> None:
        """End it; nothing of it is left for the next. Idempotent."""
        ...


class Sandbox(Protocol):
    """Runs programs, several at once up to its size; each starts as if it were the first.

    A program is Python text. It sees the standard library, its own `files` in the current folder /tmp, and nothing else
    of the machine: no network, no other process, no file of the user.
    """

    name: str
    """`docker` or `process`."""

    chosen_because: str
    """One clause for a person: why this sandbox and no other."""

    async def run(
        self,
        program: str,
        stdin: bytes = b"",
        files: Mapping[str, bytes] | None = None,
        limits: Limits | None = None,
        calls: Calls | None = None,
    ) -> Execution:
        """Run one program; `limits` may only be tighter than the sandbox's own, which hold where it is None.

        `files`: content by name, relative to the current folder. Never raises for anything that a program does.
        """
        ...

    def run_sync(
        self,
        program: str,
        stdin: bytes = b"",
        files: Mapping[str, bytes] | None = None,
        limits: Limits | None = None,
        calls: Calls | None = None,
    ) -> Execution:
        """Do the same in the calling thread."""
        ...

    def counters(self) -> Mapping[str, float]:
        """What has happened so far, by the name of its metric; all only grow."""
        ...

    def session(self) -> Session:
        """A program that keeps its state over several pieces.

        Each holds a cell of its own; its pieces wait for one of the places that `run` uses.
        """
        ...

    def close(self) -> None:
        """End everything that it holds. Idempotent."""
        ...
