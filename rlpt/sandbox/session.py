"""A program that is written piece by piece, seen from outside: a cell of its own for as long as it is open."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from rlpt.sandbox import wire
from rlpt.sandbox.cell import Cell, CellLostError, CellOverdueError
from rlpt.sandbox.protocol import Execution, Limits, SandboxError

if TYPE_CHECKING:
    from rlpt.sandbox.warm import WarmSandbox

CLOSE_S = 5.0


class WarmSession:
    """`Session` in a cell of a warm sandbox, which is taken with the first piece.

    Where the cell is lost, by no fault of the program, the pieces so far are run again in another.
    """

    def __init__(self, sandbox: WarmSandbox) -> None:
        self.limits = sandbox.limits
        self._sandbox = sandbox
        self._cell: Cell | None = None
        self._pieces: list[wire.Request] = []
        """What made the state that the cell has."""

    @property
    def begun(self) -> bool:
        """Whether there is a state, made by the pieces so far."""
        return bool(self._pieces)

    @property
    def worn(self) -> bool:
        """Whether its cell has run as many programs as one shall."""
        return self._cell is not None and self._sandbox.cells.worn(self._cell)

    async def run(self, code: str, files: Mapping[str, bytes] | None = None, limits: Limits | None = None) -> Execution:
        """See `Session.run`."""
        execution: Execution = await self._sandbox.in_thread(lambda: self.run_sync(code, files, limits))
        return execution

    def run_sync(
        self,
        code: str,
        files: Mapping[str, bytes] | None = None,
        limits: Limits | None = None,
        stateless: bool = False,
    ) -> Execution:
        """See `Session.run_sync`. `stateless`: the piece leaves nothing that later ones need.

        Raises:
            ValueError: for limits above the sandbox's own, or files that do not fit.
        """
        request = wire.piece_request(code, files or {}, self._sandbox.allowed(limits), self._sandbox.kernel)
        with self._sandbox.place():
            execution = self._sandbox.settled(lambda: self._attempt(request, stateless))
        if execution.status == "infra_error":
            return execution
        if self._cell is None:  # also where the sandbox did not answer, which is not tried again
            self._pieces = []
        return replace(execution, state_lost=not self._pieces)

    def files(self) -> dict[str, bytes]:
        """See `Session.files`."""
        if self._cell is None:
            return {}
        try:
            header, contents = self._cell.ask(wire.files_request(self._sandbox.limits), self._sandbox.limits.wall_s)
            return dict(zip(map(str, header["names"]), contents, strict=True))
        except (CellLostError, CellOverdueError, KeyError, ValueError) as error:
            self._sandbox.cells.drop(self._cell)
            self._cell = None
            raise SandboxError(f"the files of a session cannot be had: {error}") from error

    def close(self, discard: bool = False) -> None:
        """See `Session.close`. `discard`: no program shall come into its cell afterwards."""
        cell, self._cell, self._pieces = self._cell, None, []
        if cell is None:
            return
        try:
            header, _ = cell.ask(wire.close_request(), CLOSE_S)
        except (CellLostError, CellOverdueError):
            header = {}
        if discard or not header.get("clean"):
            self._sandbox.cells.drop(cell, lost=not discard)
        else:
            self._sandbox.cells.give_back(cell)

    def _attempt(self, request: wire.Request, stateless: bool) -> Execution:
        if self._cell is None:
            self._cell = self._sandbox.cells.take()
            for piece in self._pieces:
                _, alive = self._run(self._cell, piece)
                if not alive:
                    return Execution("infra_error", detail="the state of a session could not be made again")
        execution, alive = self._run(self._cell, request)
        if not alive and execution.status != "infra_error":
            self._pieces = []
        elif alive and not stateless:
            self._pieces.append(request)
        return execution

    def _run(self, cell: Cell, request: wire.Request) -> tuple[Execution, bool]:
        self._cell = None  # unless it comes back clean
        answer = self._sandbox.cells.run(cell, request)
        if answer.clean:
            self._cell = cell
        return answer.execution, answer.alive
