"""One warm sandbox, seen from outside: a supervisor at the other end of a connection, one program at a time."""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from collections.abc import Callable, Mapping
from typing import Any

from rlpt.sandbox import wire

START_TIMEOUT_S = 30.0
GRACE_S = 2.0
"""What the supervisor has beyond a program's time, to kill it, clean up and answer."""

LARGEST_REPLY = 2**30
_CHUNK = 2**18


class CellLostError(Exception):
    """The sandbox has ended or answers nonsense; that says nothing of its program yet. The message is what is known."""


class CellOverdueError(Exception):
    """The sandbox has not answered in the time that its program had."""


class Connection:
    """A socket to a supervisor, with a wall clock. `unwrap` turns what arrives into what the supervisor wrote."""

    def __init__(self, connected: socket.socket, unwrap: Callable[[bytes], bytes] = lambda chunk: chunk) -> None:
        self._socket = connected
        self._unwrap = unwrap
        self._received = bytearray()
        self._in_use = threading.Lock()

    def exchange(self, message: bytes, deadline: float) -> tuple[bytes, list[bytes]]:
        """Send a message; return the reply's header and contents. `deadline` is a time of time.monotonic().

        Raises:
            CellOverdueError, CellLostError: where there is no reply.
        """
        with self._in_use:
            try:
                self._set_time(deadline)
                self._socket.sendall(message)
                header = self._take(int.from_bytes(self._take(4, deadline), "big"), deadline)
                _, sizes = wire.reply_header(header)
                return header, [self._take(size, deadline) for size in sizes]
            except TimeoutError:
                raise CellOverdueError("the sandbox did not answer in time") from None
            except (OSError, EOFError, wire.BadReplyError) as error:
                raise CellLostError(str(error) or "the sandbox has ended") from None

    def close(self) -> None:
        """Hang up, which ends the supervisor and so the sandbox, and whoever waits for a reply."""
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        with self._in_use:  # a descriptor that another thread still reads from must not be given to anything else
            self._socket.close()

    def _take(self, size: int, deadline: float) -> bytes:
        if not 0 <= size <= LARGEST_REPLY:
            raise wire.BadReplyError("the sandbox answered something that is no reply")
        while len(self._received) < size:
            self._set_time(deadline)
            chunk = self._socket.recv(_CHUNK)
            if not chunk:
                raise EOFError
            self._received += self._unwrap(chunk)
        taken = bytes(self._received[:size])
        del self._received[:size]
        return taken

    def _set_time(self, deadline: float) -> None:
        left_s = deadline - time.monotonic()
        if left_s <= 0:
            raise TimeoutError
        self._socket.settimeout(left_s)


class Cell:
    """A sandbox that takes programs, one at a time.

    `end` kills it and frees what it holds, and may be called twice; `post_mortem` says after a loss what killed it:
    `out_of_memory` where that is known, else a line for a person.

    Raises:
        CellLostError, CellOverdueError: where the supervisor does not start; then the cell has ended.
    """

    def __init__(self, connection: Connection, end: Callable[[], None], post_mortem: Callable[[], str]) -> None:
        self._connection = connection
        self._end = end
        self._post_mortem = post_mortem
        self.programs = 0
        """How many it has run."""
        try:
            text, _ = connection.exchange(wire.supervisor(), time.monotonic() + START_TIMEOUT_S)
            header, _ = wire.reply_header(text)
            if header.get("clean") is not True:
                raise CellLostError("the sandbox has no empty folder to work in, or processes of its own")
        except CellLostError as error:
            reason = post_mortem() or str(error)
            self.end()
            raise CellLostError(reason) from None
        except BaseException:
            self.end()
            raise

    def run(self, request: wire.Request) -> wire.Answer:
        """Run what is asked for.

        Raises:
            CellLostError, CellOverdueError: where there is no answer; then the cell must be ended.
        """
        self.programs += 1
        header, contents = self.ask(request.message, request.limits.wall_s)
        try:
            return wire.answer(header, contents, request.mark)
        except wire.BadReplyError as error:
            raise CellLostError(str(error)) from None

    def ask(self, message: bytes, wall_s: float) -> tuple[Mapping[str, Any], list[bytes]]:
        """Send a message; return the reply's header and contents. Raises as `run` does."""
        text, contents = self._connection.exchange(message, time.monotonic() + wall_s + GRACE_S)
        try:
            return wire.reply_header(text)[0], contents
        except wire.BadReplyError as error:
            raise CellLostError(str(error)) from None

    def post_mortem(self) -> str:
        """What is known of its end; empty where nothing is."""
        return self._post_mortem()

    def end(self) -> None:
        """Kill it and everything in it."""
        self._connection.close()
        self._end()
