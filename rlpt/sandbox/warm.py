"""A sandbox made of warm cells: a program waits for a free one, which is reused as long as it is clean."""

from __future__ import annotations

import asyncio
import os
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import fields
from functools import partial

from rlpt.sandbox import wire
from rlpt.sandbox.cell import Cell, CellLostError, CellOverdueError
from rlpt.sandbox.protocol import Calls, Execution, Limits

TRIES = 3
"""A program whose cell is lost so often, each time a fresh one, has ended its sandboxes itself."""

OPEN_PATIENCE_S = 5.0
"""How long one program waits for a cell while none can be opened, as when a Docker engine restarts."""

RETRY_PAUSE_S = 0.2
PROGRAMS_PER_CELL = 1000


class WarmSandbox:
    """`Sandbox` over cells that `open_cell` makes, `concurrency` of them at once at most (None: one for each core).

    The first cell is opened at once, the others when they are needed. Works from any thread and from asyncio. `release`
    is called when the sandbox is closed.

    Raises:
        CellLostError, CellOverdueError: where the first cell cannot be opened.
    """

    def __init__(
        self,
        name: str,
        open_cell: Callable[[], Cell],
        limits: Limits,
        concurrency: int | None,
        chosen_because: str,
        kernel: wire.Kernel,
        release: Callable[[], None] = lambda: None,
    ) -> None:
        self.name = name
        self.chosen_because = chosen_because
        self.limits = limits
        self.concurrency = concurrency or _cores()
        self.opened = 0
        """Cells that were started so far."""
        self.lost = 0
        """Cells that ended by themselves, did not answer, or were not clean after a program."""
        self.infra_errors = 0
        """Programs that could not be run."""
        self._open_cell = open_cell
        self._kernel = kernel
        self._release = release
        self._places = threading.BoundedSemaphore(self.concurrency)
        self._lock = threading.Lock()
        self._idle: list[Cell] = []
        self._cells: set[Cell] = set()
        self._closed = False
        self._executor = ThreadPoolExecutor(self.concurrency, thread_name_prefix="sandbox")
        self._idle.append(self._open())

    async def run(
        self,
        program: str,
        stdin: bytes = b"",
        files: Mapping[str, bytes] | None = None,
        limits: Limits | None = None,
        calls: Calls | None = None,
    ) -> Execution:
        """See `Sandbox.run`."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._executor, partial(self.run_sync, program, stdin, files, limits, calls))

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
        limits = self.limits if limits is None else limits
        for field in fields(Limits):
            if getattr(limits, field.name) > getattr(self.limits, field.name):
                raise ValueError(f"limits.{field.name} is above the sandbox's own {getattr(self.limits, field.name)}")
        message = wire.request(program, stdin, files or {}, limits, calls, self._kernel)
        with self._places:
            return self._run(message, limits)

    def close(self) -> None:
        """End every cell, also those that run a program. Idempotent."""
        with self._lock:
            self._closed = True
            cells, self._cells, self._idle = self._cells, set(), []
        for cell in cells:
            cell.end()
        self._executor.shutdown(wait=False)
        self._release()

    def _run(self, message: bytes, limits: Limits) -> Execution:
        execution, final = Execution("infra_error"), False
        for _ in range(TRIES):
            try:
                cell = self._take()
            except (CellLostError, CellOverdueError) as error:
                execution = Execution("infra_error", detail=str(error))
                break
            execution, final = self._try(cell, message, limits)
            if final:
                return execution
        self.infra_errors += execution.status == "infra_error"
        return execution

    def _try(self, cell: Cell, message: bytes, limits: Limits) -> tuple[Execution, bool]:
        """Run the program in a cell; return what happened, and whether that is final or a fresh cell may do better."""
        try:
            execution, clean = cell.run(message, limits.wall_s)
        except CellOverdueError as error:
            self._drop(cell)
            return Execution("timeout", seconds=limits.wall_s, detail=str(error)), True
        except CellLostError as error:
            reason = cell.post_mortem() or str(error)
            self._drop(cell)
            if reason == "out_of_memory":
                return Execution("out_of_memory", detail="the whole sandbox was killed for memory"), True
            return Execution("crash", detail=f"its sandbox ended each time: {reason}"), False
        if execution.status == "infra_error":
            self._drop(cell)
            return execution, False
        self._put_back(cell, clean)
        return execution, True

    def _take(self) -> Cell:
        """An idle cell or a new one; where none can be opened, tries again for a while."""
        give_up = time.monotonic() + OPEN_PATIENCE_S
        while True:
            with self._lock:
                if self._closed:
                    raise CellLostError("the sandbox was closed")
                if self._idle:
                    return self._idle.pop()
            try:
                return self._open()
            except (CellLostError, CellOverdueError):
                if time.monotonic() >= give_up:
                    raise
            time.sleep(RETRY_PAUSE_S)

    def _open(self) -> Cell:
        cell = self._open_cell()
        with self._lock:
            self.opened += 1
            closed = self._closed
            self._cells.add(cell)
        if closed:
            self._drop(cell)
            raise CellLostError("the sandbox was closed")
        return cell

    def _put_back(self, cell: Cell, clean: bool) -> None:
        with self._lock:
            if clean and cell.programs < PROGRAMS_PER_CELL and not self._closed:
                self._idle.append(cell)
                return
        self._drop(cell, lost=not clean)

    def _drop(self, cell: Cell, lost: bool = True) -> None:
        with self._lock:
            self._cells.discard(cell)
            self.lost += lost
        cell.end()


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
