"""A sandbox around a warm supervisor: started when needed, replaced when it is not to be trusted any more."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable
from typing import Protocol

from rlpt.sandbox.client import GRACE_S, SandboxDied, execution, request
from rlpt.sandbox.protocol import Execution, Limits, Program

ATTEMPTS = 3


class Supervisor(Protocol):
    """One running supervisor."""

    def ask(self, frame: bytes, timeout_s: float) -> bytes:
        """Send a request and return the payload of the answer. Raises SandboxDied."""
        ...

    def kill(self) -> None:
        """End it and everything in it."""
        ...


class WarmSandbox:
    """Runs one program at a time; thread-safe.

    A run that fails without the program's doing is repeated on a fresh supervisor, three times at most; then the
    Execution says `infra_error`. The same happens where a program brings its supervisor down, which it should not be
    able to: such a program gets no verdict rather than a wrong one.
    """

    def __init__(self, name: str, start: Callable[[], Supervisor], limits: Limits, reuse: int) -> None:
        """`start` makes a supervisor that is ready; after `reuse` programs (0: after each) it is replaced."""
        self.name = name
        self.limits = limits
        self.replaced = 0
        self.chosen_because = ""
        self._start = start
        self._reuse = reuse
        self._used = 0
        self._supervisor: Supervisor | None = None
        self._lock = threading.Lock()

    def run(self, program: Program, limits: Limits | None = None) -> Execution:
        """See Sandbox."""
        limits = limits or self.limits
        frame = request(program, limits)
        with self._lock:
            return self._attempts(frame, limits)

    async def run_async(self, program: Program, limits: Limits | None = None) -> Execution:
        """See Sandbox."""
        return await asyncio.to_thread(self.run, program, limits)

    def close(self) -> None:
        """See Sandbox."""
        with self._lock:
            self._drop()

    def _attempts(self, frame: bytes, limits: Limits) -> Execution:
        failure = ""
        for _ in range(ATTEMPTS):
            try:
                if self._supervisor is None:
                    self._supervisor, self._used = self._start(), 0
                answer = execution(json.loads(self._supervisor.ask(frame, limits.wall_s + GRACE_S)))
            except (SandboxDied, OSError, ValueError, KeyError) as error:
                failure = f"{type(error).__name__}: {error}"
                self.replaced += 1
                self._drop()
                continue
            self._used += 1
            if answer.status == "infra_error" or self._used > self._reuse:
                self._drop()
            if answer.status != "infra_error":
                return answer
            failure = answer.detail
        return Execution(status="infra_error", detail=failure)

    def _drop(self) -> None:
        if self._supervisor is not None:
            self._supervisor.kill()
            self._supervisor = None
