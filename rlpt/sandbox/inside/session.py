"""A program that is written piece by piece, seen from the supervisor; it stands still between two pieces."""

from __future__ import annotations

import contextlib
import mmap
import os
import signal
import stat
import time
from collections.abc import Iterator, Sequence
from typing import Any

from rlpt.sandbox.inside.channel import read_pages
from rlpt.sandbox.inside.child import start_program
from rlpt.sandbox.inside.memory import KILLS
from rlpt.sandbox.inside.pieces import DONE, RAISED
from rlpt.sandbox.inside.program import FOLDER
from rlpt.sandbox.inside.report import report
from rlpt.sandbox.inside.reset import reset
from rlpt.sandbox.inside.watch import MIB, Feed, Stream, too_much, watch

Reply = tuple[dict[str, Any], Sequence[memoryview]]


class Session:
    """At most one such program. A piece that meets a limit ends it, and so does the end of its interpreter."""

    def __init__(self) -> None:
        self._child: int | None = None
        self._streams: list[Stream] = []
        self._commands = -1

    def piece(self, request: dict[str, Any]) -> Reply:
        """Run the next piece, in a new interpreter where there is none; `size` is that of the piece's message.

        Returns what happened, `alive` (whether the state is kept), and output, errors and results of this piece.
        """
        message = read_pages(request["size"])
        started = time.monotonic()
        if self._child is None:
            self._start(request)
        else:
            for stream in self._streams:
                stream.forget()
            self._streams[-1].put(b"\n")  # results begin with it: this program has started
        signal_all(signal.SIGCONT)
        done, raised = (line.format(request["mark"]).encode() for line in (DONE, RAISED))
        assert self._child is not None
        end = watch(
            self._child,
            request,
            self._streams,
            Feed(self._commands, message),
            lambda: self._last_line() in (done, raised),
        )
        alive = end.status is None
        if alive:
            signal_all(signal.SIGSTOP)
        self._drain()
        header = report(end, request, self._streams, KILLS.more())
        alive = alive and not too_much(self._streams)
        if alive:
            header["status"] = "ok" if self._last_line() == done else "crash"
        seconds = time.monotonic() - started
        contents = [stream.content() for stream in self._streams]
        clean = alive or self._end()
        reset_s = time.monotonic() - started - seconds
        return {**header, "seconds": seconds, "reset_s": reset_s, "alive": alive, "clean": clean}, contents

    def files(self, request: dict[str, Any]) -> Reply:
        """The regular files in the program's folder, at most `disk_mb` of them together; the program stands still."""
        names, contents, left = [], [], request["disk_mb"] * MIB
        for path in regular_files():
            with contextlib.suppress(OSError):
                content = content_of(path, left)
                names.append(os.fsencode(os.path.relpath(path, FOLDER)).decode("utf-8", "surrogateescape"))
                contents.append(content)
                left -= len(content)
        return {"names": names, "sizes": list(map(len, contents)), "started": True}, contents

    def close(self, request: dict[str, Any]) -> Reply:
        """End the program, if there is one; say whether nothing of it is left."""
        return {"sizes": [], "started": True, "clean": self._end()}, []

    def _start(self, request: dict[str, Any]) -> None:
        self._streams = [Stream(request["output_bytes"]) for _ in range(3)]
        theirs, self._commands = os.pipe()
        os.set_blocking(self._commands, False)
        self._child = start_program(request, [stream.theirs for stream in self._streams], theirs)
        os.close(theirs)
        for stream in self._streams:
            os.close(stream.theirs)

    def _end(self) -> bool:
        self._child = None
        clean = reset()
        for stream in self._streams:
            os.close(stream.ours)
        if self._commands >= 0:
            os.close(self._commands)
        self._streams, self._commands = [], -1
        return clean

    def _drain(self) -> None:
        for stream in self._streams:
            while stream.read():
                pass

    def _last_line(self) -> bytes:
        tail = bytes(self._streams[-1].content()[-100:])
        return tail[tail.rfind(b"\n", 0, -1) + 1 :]


def signal_all(number: int) -> None:
    """Send a signal to every process but this one."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(-1, number)


def regular_files() -> Iterator[str]:
    """Paths of the files in the program's folder, in order of their names. No link is followed."""
    for folder, folders, names in os.walk(FOLDER):
        folders.sort()
        yield from (os.path.join(folder, name) for name in sorted(names))  # noqa: PTH118 - it holds odd names


def content_of(path: str, most: int) -> memoryview:
    """Read a regular file of at most `most` bytes, into pages that no child inherits. Raises OSError for all else."""
    with os.fdopen(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), "rb") as file:
        found = os.fstat(file.fileno())
        if not stat.S_ISREG(found.st_mode) or found.st_size > most:
            raise OSError(f"{path} is no file that fits")
        pages = mmap.mmap(-1, max(found.st_size, 1), flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        pages.madvise(mmap.MADV_DONTFORK)
        return memoryview(pages)[: os.readv(file.fileno(), [pages])][: found.st_size]
