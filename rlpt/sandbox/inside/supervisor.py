"""Process 1 of a sandbox: runs one program after the other, each in a fresh child, until its client has gone."""

from __future__ import annotations

import gc
import math
import mmap
import os
import platform
import resource
import select
import signal
import time
import traceback
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from rlpt.sandbox.inside.channel import INPUT, read_json, reply
from rlpt.sandbox.inside.confine import confine
from rlpt.sandbox.inside.memory import in_use, kills, own_size
from rlpt.sandbox.inside.program import NOTHING_RAN, become_program
from rlpt.sandbox.inside.reset import reset

TICK_S = 0.02
"""Between two looks at what a program uses."""

ENDING_S = 0.001
"""A process that ends closes its pipes a moment before it can be reaped."""

MIB = 2**20
PRELOADED = (
    "array base64 bisect cmath collections copy dataclasses datetime decimal enum fractions functools hashlib heapq "
    "inspect io itertools numbers queue random re statistics string subprocess tempfile textwrap typing unicodedata"
)
"""Imported once, so that programs need not."""


def main() -> None:
    """Serve the channel."""
    if os.getpid() != 1:
        raise SystemExit("the supervisor kills every process that it sees, so it must be process 1 of a namespace")
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGPIPE):
        signal.signal(number, signal.SIG_IGN)
    confine()
    for name in PRELOADED.split():
        __import__(name)
    gc.collect()
    gc.freeze()  # children then leave these objects alone, and share their pages
    reply({"python": platform.python_version(), "clean": reset()})
    while True:
        reply(*execute(read_json()))


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

    def content(self) -> memoryview:
        """What was read, up to the limit."""
        return memoryview(self.pages)[: self.limit][: self.size]


@dataclass
class End:
    """How a program ended: the limit that it met, if any, and what the kernel says of its first process."""

    cause: str | None
    status: int
    usage: resource.struct_rusage
    peak: int


def execute(request: dict[str, Any]) -> tuple[dict[str, Any], Sequence[memoryview]]:
    """Run one program to its end, clean up after it, and return what happened, and its output, errors and results."""
    output, errors, results = streams = [Stream(request["output_bytes"]) for _ in range(3)]
    killed_before = kills()
    started = time.monotonic()
    child = os.fork()
    if child == 0:
        try:
            become_program(request, [stream.theirs for stream in streams])
        except BaseException:
            os.write(errors.theirs, traceback.format_exc().encode())  # nothing of the program has run yet
        finally:
            os._exit(NOTHING_RAN)
    for stream in streams:
        os.close(stream.theirs)
    end = watch(child, request, streams, started)
    ended = time.monotonic()
    clean = reset()
    for stream in streams:
        while stream.read():
            pass
        os.close(stream.ours)
    header = {
        **outcome(end, request, too_much(streams), kills() > killed_before),
        "truncated": too_much(streams),
        "seconds": ended - started,
        "reset_s": time.monotonic() - ended,
        "peak_memory_mb": max(end.usage.ru_maxrss * 1024, end.peak) / MIB,
        # Without the mark it was not started, and the rest of its request may still be in the channel.
        "started": results.size > 0,
        "clean": clean,
        "sizes": [len(stream.content()) for stream in streams],
    }
    return header, [output.content(), errors.content(), results.content()]


def outcome(end: End, request: dict[str, Any], truncated: bool, killed_for_memory: bool) -> dict[str, Any]:
    """Status, exit code and signal, as `rlpt.sandbox.protocol.Execution` has them."""
    exit_code = os.WEXITSTATUS(end.status) if os.WIFEXITED(end.status) else None
    number = os.WTERMSIG(end.status) if os.WIFSIGNALED(end.status) else None
    cause = end.cause
    if cause is None and truncated:
        cause = "output_limit"
    elif cause is None and number is not None:
        cpu_s = end.usage.ru_utime + end.usage.ru_stime
        if number == signal.SIGKILL and killed_for_memory:
            cause = "out_of_memory"
        elif number == signal.SIGXCPU or (number == signal.SIGKILL and cpu_s >= math.ceil(request["cpu_s"])):
            cause = "timeout"
    status = cause or ("ok" if exit_code == 0 else "crash")
    return {"status": status, "exit_code": None if cause else exit_code, "signal": number}


def watch(child: int, request: dict[str, Any], streams: Sequence[Stream], started: float) -> End:
    """Wait until the program's first process has ended or the program meets a limit; that process is dead then."""
    deadline, next_look = started + request["wall_s"], started + TICK_S
    memory, inherited = request["memory_mb"] * MIB, own_size()
    open_streams = {stream.ours: stream for stream in streams}
    poller = select.poll()
    poller.register(INPUT, 0)  # tells that the client has gone
    for descriptor in open_streams:
        poller.register(descriptor, select.POLLIN)
    peak, cause = 0, None
    while cause is None:
        wait_s = min(next_look, deadline) - time.monotonic()
        if not open_streams:
            wait_s = min(wait_s, ENDING_S)
        for descriptor, _ in poller.poll(max(0.0, wait_s) * 1000):
            if descriptor == INPUT:
                os._exit(0)
            if not open_streams[descriptor].read():
                poller.unregister(descriptor)
                del open_streams[descriptor]
        if too_much(streams):
            cause = "output_limit"
        elif (ended := reap(child)) is not None:
            return End(None, *ended, peak)
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
