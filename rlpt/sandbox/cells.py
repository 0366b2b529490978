"""The warm cells of a sandbox: opened beforehand, reused while they are clean, replaced in the background."""

from __future__ import annotations

import threading
from collections.abc import Callable

from rlpt.sandbox.cell import Cell, CellLostError, CellOverdueError
from rlpt.sandbox.patience import Patience
from rlpt.sandbox.protocol import Execution
from rlpt.sandbox.wire import Answer, Request


class CannotOpenError(Exception):
    """There is no cell for a program, and none can be opened; the message says why."""


class Cells:
    """Gives out cells, each to one program at a time. Works from any thread.

    `keep`: cells that are there, idle or in use, once all are opened; the first is opened at once, the others in the
    background. More are opened where more are taken, and stay. `reuse`: programs after which a cell is replaced; with
    0 each has a new one. `reachable`: whether what opens cells answers.

    Raises:
        CellLostError, CellOverdueError: where the first cell cannot be opened.
    """

    def __init__(self, open_cell: Callable[[], Cell], keep: int, reuse: int, reachable: Callable[[], bool]) -> None:
        self.opened = 0
        self.lost = 0
        self._open_cell = open_cell
        self._keep = keep
        self._reuse = max(reuse, 1)
        self._reachable = reachable
        self._changed = threading.Condition()
        self._idle: list[Cell] = []
        self._cells: set[Cell] = set()
        self._opening = 0  # in the background
        self._waiting = 0
        self._patience = Patience()
        self._threads: set[threading.Thread] = set()
        self._closed = False
        self._idle.append(self._open())
        with self._changed:
            self._replace()

    def take(self) -> Cell:
        """An idle cell, or a new one; where none can be opened, tries again for a while.

        Raises:
            CannotOpenError: where that fails, or all is closed.
        """
        with self._changed:
            while not self._closed and not self._idle and self._opening > self._waiting:
                self._waiting += 1
                self._changed.wait()
                self._waiting -= 1
            if self._closed:
                raise CannotOpenError("the sandbox was closed")
            if self._idle:
                return self._idle.pop()
        return self._open_patiently()

    def run(self, cell: Cell, request: Request) -> Answer:
        """Run a request in a cell that was taken. A cell that is not `clean` afterwards was dropped.

        Raises:
            CellLostError, CellOverdueError: where the cell does not answer; it was dropped.
        """
        try:
            answer = cell.run(request)
        except CellOverdueError:
            self.drop(cell)
            raise
        except CellLostError as error:
            reason = cell.post_mortem() or str(error)
            self.drop(cell)
            if reason == "out_of_memory":
                return Answer(Execution("out_of_memory", detail="the whole sandbox was killed for memory"))
            raise CellLostError(reason) from None
        if not answer.clean:
            self.drop(cell)
        return answer

    def worn(self, cell: Cell) -> bool:
        """Whether a cell has run its number of programs."""
        return cell.programs >= self._reuse

    def give_back(self, cell: Cell) -> None:
        """Take back a clean cell; one that is worn is replaced."""
        with self._changed:
            if not self.worn(cell) and not self._closed:
                self._idle.append(cell)
                self._changed.notify()
                return
        self.drop(cell, lost=False)

    def drop(self, cell: Cell, lost: bool = True) -> None:
        """End a cell, in the background, and replace it. `lost`: it is not the sandbox that wants it to end."""
        with self._changed:
            self._cells.discard(cell)
            self.lost += lost
            self._start(cell.end)
            self._replace()

    def close(self) -> None:
        """End every cell, also those in use. Idempotent."""
        with self._changed:
            self._closed = True
            cells, self._cells, self._idle = self._cells, set(), []
            self._changed.notify_all()
        for cell in cells:
            cell.end()
        while threads := self._running():
            for thread in threads:
                thread.join()

    def _running(self) -> list[threading.Thread]:
        with self._changed:  # what is added here is started before the lock is free
            return list(self._threads)

    def _replace(self) -> None:
        """Open what is missing, in the background. Called with the lock held."""
        while not self._closed and len(self._cells) + self._opening < self._keep:
            self._opening += 1
            self._start(self._open_idle)

    def _start(self, work: Callable[[], None]) -> None:
        """Do something in the background. Called with the lock held."""

        def run() -> None:
            try:
                work()
            finally:
                self._threads.discard(thread)

        thread = threading.Thread(target=run, name="cells", daemon=True)
        self._threads.add(thread)
        thread.start()

    def _open_idle(self) -> None:
        cell = None
        try:
            if self._reachable():  # or it would be waited for in vain
                cell = self._open()
        except (CellLostError, CellOverdueError):
            pass  # who needs it opens it, and hears why that fails
        finally:
            with self._changed:
                self._opening -= 1
                if cell is not None:
                    self._idle.append(cell)
                self._changed.notify_all()

    def _open_patiently(self) -> Cell:
        while True:
            try:
                if not self._reachable():
                    raise CellLostError("what opens sandboxes does not answer")
                return self._open()
            except (CellLostError, CellOverdueError) as error:
                if self._closed or not self._patience.once_more():
                    raise CannotOpenError(str(error)) from error

    def _open(self) -> Cell:
        cell = self._open_cell()
        self._patience.restored()
        with self._changed:
            self.opened += 1
            closed = self._closed
            if not closed:
                self._cells.add(cell)
        if closed:
            cell.end()
            raise CellLostError("the sandbox was closed")
        return cell
