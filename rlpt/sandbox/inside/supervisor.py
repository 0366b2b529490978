"""Process 1 of a sandbox: runs one program after the other, each in a fresh child, until its client has gone."""

from __future__ import annotations

import gc
import os
import signal
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from rlpt.sandbox.inside.channel import read_json, reply
from rlpt.sandbox.inside.child import start_program
from rlpt.sandbox.inside.confine import confine
from rlpt.sandbox.inside.memory import KILLS
from rlpt.sandbox.inside.report import report
from rlpt.sandbox.inside.reset import reset
from rlpt.sandbox.inside.session import Session
from rlpt.sandbox.inside.watch import Stream, watch

PRELOADED = "base64 bisect collections copy enum functools heapq io itertools math numbers re string textwrap typing"
"""Imported once, so that programs need not. What few programs import is not among them, since whatever is loaded makes
each copy of the process dearer. Nor is threading or random, nor what imports them: what they do in each
copy costs as much as the copy itself."""

Reply = tuple[dict[str, Any], Sequence[memoryview | bytes]]


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
    reply({"clean": reset()})
    session = Session()
    answers: Mapping[str, Callable[[dict[str, Any]], Reply]] = {
        "program": execute,
        "piece": session.piece,
        "files": session.files,
        "close": session.close,
    }
    while True:
        request = read_json()
        reply(*answers[request["kind"]](request))


def execute(request: dict[str, Any]) -> Reply:
    """Run one program to its end, clean up after it, and return what happened, and its output, errors and results."""
    streams = [Stream(request["output_bytes"]) for _ in range(3)]
    started = time.monotonic()
    child = start_program(request, [stream.theirs for stream in streams])
    for stream in streams:
        os.close(stream.theirs)
    end = watch(child, request, streams)
    seconds = time.monotonic() - started
    clean = reset()
    reset_s = time.monotonic() - started - seconds
    for stream in streams:
        while stream.read():
            pass
        os.close(stream.ours)
    header = report(end, request, streams, KILLS.more())
    contents = [stream.content() for stream in streams]
    return {**header, "seconds": seconds, "reset_s": reset_s, "clean": clean}, contents
