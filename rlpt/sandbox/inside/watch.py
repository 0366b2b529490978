"""Keeps the limits of a running program: reads what it writes, measures what it uses, ends it where it must."""

from __future__ import annotations

import mmap
import os
import resource
import select
import signal
import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from rlpt.sandbox.inside.channel import INPUT
from rlpt.sandbox.inside.memory import in_use, own_size

TICK_S = 0.02
"""Between two looks at what a program uses."""

ENDING_S = 0.0001, 0.001
"""A process that ends closes its pipes a moment before it can be reaped: the first time to wait for that, and the last,
of a program that closed them and goes on."""

MIB = 2**20


class Stream:
    """A pipe from the program, read into pages of its own that no child inherits: at most a byte above the limit."""

    def __init__(self, limit: int) -> None:
        self.ours, self.theirs = os.pipe()
        os.set_blocking(self.ours, False)
        self.pages = mmap.mmap(-1, limit + 1, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        self.pages.madvise(mmap.MADV_DONTFORK)
        self.limit = limit
        self.size = 0

    def read(self) -> bool:
        """Take what is there; False where nothing is, nothing will be, or nothing more fits."""
        if self.size > self.limit:
            return False
        try:
            with memoryview(self.pages) as pages, pages[self.size :] as rest:
                count = os.readv(self.ours, [rest])
        except BlockingIOError:
            return False
        self.size += count
        return count > 0

    def put(self, content: bytes) -> None:
        """Add what the program has not written."""
        self.pages[self.size : self.size + len(content)] = content
        self.size += len(content)

    def forget(self) -> None:
        """Begin anew."""
        self.size = 0

    def content(self) -> memoryview:
        """What was read, up to the limit."""
        return memoryview(self.pages)[: self.limit][: self.size]


class Feed:
    """What a program is still to be given, over a descriptor that does not block."""

    def __init__(self, descriptor: int, rest: memoryview) -> None:
        self.descriptor = descriptor
        self.rest = rest

    def write(self) -> bool:
        """Give it a part; False where there is nothing more to give or nobody who takes it."""
        try:
            self.rest = self.rest[os.write(self.descriptor, self.rest) :]
        except OSError:
            return False
        return len(self.rest) > 0


class End(NamedTuple):
    """How a program ended: the limit that it met, if any, and what the kernel says of its first process.

    `status` and `usage` are None where that process has not ended: it is done with a piece of its work.
    """

    cause: str | None
    status: int | None
    usage: resource.struct_rusage | None
    peak: int


def watch(
    child: int,
    request: dict[str, Any],
    streams: Sequence[Stream],
    feed: Feed | None = None,
    done: Callable[[], bool] = lambda: False,
) -> End:
    """Wait until the program's first process has ended, the program is `done` or meets a limit, which ends it.

    `done` is asked after each time that something was read.
    """
    started = time.monotonic()
    deadline, next_look = started + request["wall_s"], started + TICK_S
    memory, inherited = request["memory_mb"] * MIB, own_size()
    open_streams = {stream.ours: stream for stream in streams}
    poller = select.poll()
    poller.register(INPUT, 0)  # tells that the client has gone
    for descriptor in open_streams:
        poller.register(descriptor, select.POLLIN)
    if feed is not None:
        poller.register(feed.descriptor, select.POLLOUT)
    peak, cause = 0, None
    pause_s = ENDING_S[0]
    while cause is None:
        wait_s = min(next_look, deadline) - time.monotonic()
        if not open_streams:
            time.sleep(max(0.0, min(wait_s, pause_s)))
            wait_s, pause_s = 0.0, min(2 * pause_s, ENDING_S[1])
        for descriptor, _ in poller.poll(max(0.0, wait_s) * 1000):
            if descriptor == INPUT:
                os._exit(0)
            if feed is not None and descriptor == feed.descriptor:
                if not feed.write():
                    poller.unregister(descriptor)
            elif not open_streams[descriptor].read():
                poller.unregister(descriptor)
                del open_streams[descriptor]
        if too_much(streams):
            cause = "output_limit"
        elif (ended := reap(child)) is not None:
            return End(None, *ended, peak)
        elif done():
            return End(None, None, None, max(peak, in_use(memory, inherited, deadline)))
        elif (now := time.monotonic()) >= deadline:
            cause = "timeout"
        elif now >= next_look:
            next_look = now + TICK_S
            used = in_use(memory, inherited, deadline)
            peak = max(peak, used)
            cause = "out_of_memory" if used > memory else None
    os.kill(child, signal.SIGKILL)
    _, status, usage = os.wait4(child, 0)
    return End(cause, status, usage, peak)


def too_much(streams: Sequence[Stream]) -> bool:
    """Whether output and errors together, or the results, are above the limit."""
    output, errors, results = streams
    return output.size + errors.size > output.limit or results.size > results.limit


def reap(child: int) -> tuple[int, resource.struct_rusage] | None:
    """Collect what has ended, so that it does not count as a process; return what is known of `child` if it has."""
    while True:
        pid, status, usage = os.wait4(-1, os.WNOHANG)
        if pid == child:
            return status, usage
        if pid == 0:
            return None
