"""A sandbox made of warm cells: a program waits for a free one, which is reused as long as it is clean."""

from __future__ import annotations

import asyncio
import os
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import fields
from functools import partial
from typing import Any

from rlpt.errors import UserError
from rlpt.sandbox import wire
from rlpt.sandbox.cell import Cell, CellLostError, CellOverdueError
from rlpt.sandbox.cells import CannotOpenError, Cells
from rlpt.sandbox.protocol import Calls, Execution, Limits
from rlpt.sandbox.session import WarmSession

TRIES = 3
"""A program whose cell is lost so often, each time a fresh one, has ended its sandboxes itself."""

REUSE = 1000


class WarmSandbox:
    """`Sandbox` over cells that `open_cell` makes, `concurrency` of them at once at most (None: one for each core).

    The first cell is opened at once, the others in the background. Works from any thread and from asyncio.

    Args:
        reuse: programs after which a cell is replaced; 0: each program has a new one.
        reachable: whether what opens cells answers. Where it does not, no program is to blame for a lost cell.
        release: is called when the sandbox is closed.

    Raises:
        CellLostError, CellOverdueError: where the first cell cannot be opened.
        UserError: for a number that is too small.
    """

    def __init__(
        self,
        name: str,
        open_cell: Callable[[], Cell],
        limits: Limits,
        concurrency: int | None,
        chosen_because: str,
        kernel: wire.Kernel,
        reuse: int = REUSE,
        reachable: Callable[[], bool] = lambda: True,
        release: Callable[[], None] = lambda: None,
    ) -> None:
        if concurrency is not None and concurrency < 1:
            raise UserError(f"sandbox.concurrency={concurrency} is too small; set it to 1 or more, or to null.")
        if reuse < 0:
            raise UserError(f"sandbox.reuse={reuse} must be 0 or more.")
        self.name = name
        self.chosen_because = chosen_because
        self.limits = limits
        self.concurrency = concurrency or _cores()
        self._process = os.getpid()
        self.programs = 0
        """Programs, and pieces of them, that were run."""
        self.retries = 0
        """How often one was run again, since its cell was lost."""
        self.infra_errors = 0
        """Programs that could not be run."""
        self.queued_s = 0.0
        """Seconds that programs waited for a free place."""
        self.kernel = kernel
        self._reachable = reachable
        self._release = release
        self._places = threading.BoundedSemaphore(self.concurrency)
        self._count = threading.Lock()
        self._executor = ThreadPoolExecutor(self.concurrency, thread_name_prefix="sandbox")
        self.cells = Cells(open_cell, self.concurrency, reuse, reachable)

    @property
    def opened(self) -> int:
        """Cells that were started so far."""
        return self.cells.opened

    @property
    def lost(self) -> int:
        """Cells that ended by themselves, did not answer, or were not clean after a program."""
        return self.cells.lost

    def counters(self) -> dict[str, float]:
        """What has happened so far, by the name of its metric; all only grow."""
        return {
            "sandbox/programs": float(self.programs),
            "sandbox/opened": float(self.opened),
            "sandbox/lost": float(self.lost),
            "sandbox/retries": float(self.retries),
            "sandbox/infra_errors": float(self.infra_errors),
            "sandbox/queued_s": self.queued_s,
        }

    async def run(
        self,
        program: str,
        stdin: bytes = b"",
        files: Mapping[str, bytes] | None = None,
        limits: Limits | None = None,
        calls: Calls | None = None,
    ) -> Execution:
        """See `Sandbox.run`."""
        execution: Execution = await self.in_thread(partial(self.run_sync, program, stdin, files, limits, calls))
        return execution

    def run_sync(
        self,
        program: str,
        stdin: bytes = b"",
        files: Mapping[str, bytes] | None = None,
        limits: Limits | None = None,
        calls: Calls | None = None,
    ) -> Execution:
        """See `Sandbox.run_sync`.

        Raises:
            ValueError: for limits above the sandbox's own, or files that do not fit.
        """
        request = wire.program_request(program, stdin, files or {}, self.allowed(limits), calls, self.kernel)
        with self.place():
            return self.settled(lambda: self._run(request))

    def session(self) -> WarmSession:
        """See `Sandbox.session`."""
        return WarmSession(self)

    def close(self) -> None:
        """End every cell, also those that run a program. Idempotent."""
        self.cells.close()
        self._executor.shutdown(wait=False)
        self._release()

    # What follows is for sessions too.

    def allowed(self, limits: Limits | None) -> Limits:
        """The limits that hold. Raises ValueError for limits above the sandbox's own."""
        limits = self.limits if limits is None else limits
        for field in fields(Limits):
            if getattr(limits, field.name) > getattr(self.limits, field.name):
                raise ValueError(f"limits.{field.name} is above the sandbox's own {getattr(self.limits, field.name)}")
        return limits

    @contextmanager
    def place(self) -> Iterator[None]:
        """Wait for one of the places, and have it."""
        if os.getpid() != self._process:
            raise RuntimeError("a sandbox belongs to the process that made it, and not to one that was forked from it")
        waited = time.monotonic()
        with self._places:
            with self._count:
                self.queued_s += time.monotonic() - waited
                self.programs += 1
            yield

    async def in_thread(self, work: Callable[[], Any]) -> Any:  # noqa: ANN401 - what the work returns
        """Do what blocks in a thread, at most as many at once as there are places."""
        return await asyncio.get_running_loop().run_in_executor(self._executor, work)

    def settled(self, attempt: Callable[[], Execution]) -> Execution:
        """Attempt until a cell says what happened; where none does, say whether the program is to blame.

        `attempt` raises as `Cells.take` and `Cells.run` do.
        """
        detail, blamed = "", True
        for number in range(TRIES):
            with self._count:
                self.retries += number > 0
            try:
                execution = attempt()
            except CellOverdueError as error:
                detail = str(error)
                if self._reachable():
                    return Execution("timeout", seconds=self.limits.wall_s, detail=detail)
                blamed = False
            except CellLostError as error:
                detail = str(error)
                blamed = blamed and self._reachable()
            except CannotOpenError as error:
                detail, blamed = str(error), False
                break
            else:
                if execution.status != "infra_error":
                    return execution
                detail, blamed = execution.detail, False
        if blamed:
            return Execution("crash", detail=f"its sandbox ended each time: {detail}")
        with self._count:
            self.infra_errors += 1
        return Execution("infra_error", detail=detail)

    def _run(self, request: wire.Request) -> Execution:
        cell = self.cells.take()
        answer = self.cells.run(cell, request)
        if answer.clean:
            self.cells.give_back(cell)
        return answer.execution


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
