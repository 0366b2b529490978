"""The child that becomes a program: it takes its request, gives up what the supervisor has, and runs it."""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]
import contextlib
import fcntl
import json
import math
import os
import resource
import sys
import traceback
from collections.abc import Sequence
from typing import Any, NoReturn

from rlpt.sandbox.inside.channel import read_message, write_all
from rlpt.sandbox.inside.confine import PR_SET_DUMPABLE, control
from rlpt.sandbox.inside.pieces import run_pieces
from rlpt.sandbox.inside.program import FILE, FOLDER, RESULTS, run_calls, run_script, write_files

COMMANDS = 4
"""Descriptor of the pieces of a program that is written piece by piece."""

TAKEN = (_signal.SIGTERM, _signal.SIGHUP, _signal.SIGQUIT)
NOTHING_RAN = 70
STARTED = b"\n"
"""The first line of the results: the program has all its limits, and what happens from here on is its own."""

MOST_ADDRESSES = 2**33
"""More than any program needs. The kernel's tables for them, which no limit counts, then stay below 1/500 of this."""


def start_program(request: dict[str, Any], streams: Sequence[int], commands: int | None = None) -> int:
    """Fork the child that becomes the program, and return its id.

    `streams` are the pipes for its output, errors and results. It takes the rest of the request from the channel; where
    there are `commands`, it takes piece after piece from there instead.
    """
    child = os.fork()
    if child == 0:
        try:
            if commands is None:
                become_program(request, streams)
            become_prompt(request, streams, commands)
        except BaseException:
            tell(streams[1], traceback.format_exc())
        finally:
            os._exit(NOTHING_RAN)
    return child


def tell(errors: int, text: str) -> None:
    """Write to the pipe for errors, which is descriptor 2 once descriptors were taken."""
    try:
        os.write(errors, text.encode())
    except OSError:
        os.write(2, text.encode())


def become_program(request: dict[str, Any], streams: Sequence[int]) -> NoReturn:
    """Run what the rest of the request says."""
    os.setsid()
    index, (program, stdin, calls, prelude, *contents) = read_message()
    os.chdir(FOLDER)
    write_files(index["files"], contents)
    give_up_rights(request, file_with(stdin), *streams)
    limit_cpu(request["cpu_s"])
    prepare_interpreter()
    write_all(RESULTS, STARTED)
    text, before = (part.decode("utf-8", "surrogatepass") for part in (program, prelude))
    if index["entry_point"] is None:
        run_script(text)
    run_calls(text, before, index["entry_point"], json.loads(calls), index["mark"])


def become_prompt(request: dict[str, Any], streams: Sequence[int], commands: int) -> NoReturn:
    """Run the pieces that come as commands, as long as any do."""
    os.setsid()
    os.chdir(FOLDER)
    give_up_rights(request, file_with(b""), *streams, commands)
    prepare_interpreter()
    write_all(RESULTS, STARTED)
    run_pieces(COMMANDS)


def give_up_rights(request: dict[str, Any], *descriptors: int) -> None:
    """Keep these descriptors alone, and take on the limits."""
    take_descriptors(*descriptors)
    take_signals()
    control(PR_SET_DUMPABLE, 1)
    with contextlib.suppress(OSError):
        descriptor = os.open("/proc/self/oom_score_adj", os.O_WRONLY)
        os.write(descriptor, b"1000")  # where the kernel has to choose, not the supervisor
        os.close(descriptor)
    limit_resources(request)


def file_with(content: bytes) -> int:
    """Return the descriptor of a file without a name."""
    descriptor = os.open(FOLDER, os.O_TMPFILE | os.O_RDWR, 0o600)
    write_all(descriptor, content)
    os.lseek(descriptor, 0, os.SEEK_SET)
    return descriptor


def take_descriptors(*wanted: int) -> None:
    """Make `wanted` descriptors 0, 1 and so on, and close all others, the supervisor's channel among them."""
    # Copies first, above all numbers that are wanted, so that none of these is closed before it is copied.
    kept = [fcntl.fcntl(descriptor, fcntl.F_DUPFD, len(wanted)) for descriptor in wanted]
    for number, descriptor in enumerate(kept):
        os.dup2(descriptor, number, inheritable=number < RESULTS)
    os.closerange(len(wanted), 256)


def take_signals() -> None:
    """Undo what the supervisor ignores."""
    # Not `signal.signal`, whose enumerations cost each program more than the calls themselves.
    for number in TAKEN:
        _signal.signal(number, _signal.SIG_DFL)
    _signal.signal(_signal.SIGINT, _signal.default_int_handler)


def limit_resources(request: dict[str, Any]) -> None:
    """Set the limits that the kernel keeps for each process, but for its time."""
    if request["own_cpu_share"]:
        os.nice(19)  # against the supervisor alone, which must be able to act while many processes run
    limits = {
        resource.RLIMIT_DATA: request["memory_mb"] * 2**20,
        resource.RLIMIT_FSIZE: request["disk_mb"] * 2**20,
        resource.RLIMIT_NOFILE: request["open_files"],
        resource.RLIMIT_AS: MOST_ADDRESSES + request["memory_mb"] * 2**20,
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_MEMLOCK: 0,
        resource.RLIMIT_MSGQUEUE: 0,
    }
    if request["counts_processes"]:
        limits[resource.RLIMIT_NPROC] = request["processes"] + 1  # the supervisor counts too
    for name, value in limits.items():
        resource.setrlimit(name, (value, value))


def limit_cpu(cpu_s: float) -> None:
    """Set the CPU time of each process."""
    soft = math.ceil(cpu_s)
    resource.setrlimit(resource.RLIMIT_CPU, (soft, soft + 1))


def prepare_interpreter() -> None:
    """Make it look freshly started with the program's file."""
    sys.argv = [FILE]
    sys.path.insert(0, FOLDER)
    sys.set_int_max_str_digits(0)
