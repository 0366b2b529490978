"""What is told of a program, from how it ended."""

from __future__ import annotations

import math
import os
import signal
from collections.abc import Sequence
from typing import Any

from rlpt.sandbox.inside.watch import MIB, End, Stream, too_much


def report(end: End, request: dict[str, Any], streams: Sequence[Stream], killed_for_memory: bool) -> dict[str, Any]:
    """Status, exit code, signal and memory, as `rlpt.sandbox.protocol.Execution` has them."""
    truncated = too_much(streams)
    exit_code, number, resident = None, None, 0
    cause = end.cause or ("output_limit" if truncated else None)
    if end.status is not None and end.usage is not None:
        exit_code = os.WEXITSTATUS(end.status) if os.WIFEXITED(end.status) else None
        number = os.WTERMSIG(end.status) if os.WIFSIGNALED(end.status) else None
        cpu_s = end.usage.ru_utime + end.usage.ru_stime
        resident = end.usage.ru_maxrss * 1024
        if cause is None and number == signal.SIGKILL and killed_for_memory:
            cause = "out_of_memory"
        elif cause is None and (
            number == signal.SIGXCPU or (number == signal.SIGKILL and cpu_s >= math.ceil(request["cpu_s"]))
        ):
            cause = "timeout"
    return {
        "status": cause or ("ok" if exit_code == 0 else "crash"),
        "exit_code": None if cause else exit_code,
        "signal": number,
        "truncated": truncated,
        "peak_memory_mb": max(resident, end.peak) / MIB,
        # Without the mark it was not started, and the rest of its request may still be in the channel.
        "started": streams[-1].size > 0,
        "sizes": [len(stream.content()) for stream in streams],
    }
