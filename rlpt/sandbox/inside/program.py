"""The child that becomes the program: it takes its request, gives up what the supervisor has, and runs it."""

from __future__ import annotations

import atexit
import contextlib
import json
import linecache
import math
import os
import resource
import signal
import sys
import threading
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any, NoReturn

from rlpt.sandbox.inside.channel import read_exactly, read_json, write_all
from rlpt.sandbox.inside.confine import PR_SET_DUMPABLE, control
from rlpt.sandbox.inside.encode import encode

FOLDER = "/tmp"
FILE = "program.py"
RESULTS = 3
"""Descriptor of the results: a line of JSON each, after an empty line that says that the request was taken."""

NOTHING_RAN = 70
MEMORY = b'["memory"]\n'


def become_program(request: dict[str, Any], streams: Sequence[int]) -> NoReturn:
    """Run what the rest of the request says; `streams` are the pipes for output, errors and results."""
    os.setsid()
    index = read_json()
    program, stdin, calls, *contents = (read_exactly(size) for size in index["sizes"])
    os.chdir(FOLDER)
    write_files(index["files"], contents)
    take_descriptors(file_with(stdin), *streams)
    take_signals()
    control(PR_SET_DUMPABLE, 1)
    with contextlib.suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("1000")  # where the kernel has to choose, not the supervisor
    limit_resources(request)
    text = program.decode("utf-8", "surrogatepass")
    prepare_interpreter(text)
    if index["entry_point"] is None:
        run_script(text)
    run_calls(text, index["entry_point"], json.loads(calls))


def write_files(names: Sequence[str], contents: Sequence[bytes]) -> None:
    """Put the program's files into the current folder."""
    for name, content in zip(names, contents, strict=True):
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_bytes(content)


def file_with(content: bytes) -> int:
    """Return the descriptor of a file without a name."""
    descriptor = os.open(FOLDER, os.O_TMPFILE | os.O_RDWR, 0o600)
    write_all(descriptor, content)
    os.lseek(descriptor, 0, os.SEEK_SET)
    return descriptor


def take_descriptors(*wanted: int) -> None:
    """Make `wanted` descriptors 0, 1, 2 and RESULTS, and close all others, the supervisor's channel among them."""
    kept = [os.dup(descriptor) for descriptor in wanted]  # none of them is below 4
    for number, descriptor in enumerate(kept):
        os.dup2(descriptor, number, inheritable=number != RESULTS)
    os.closerange(RESULTS + 1, 256)
    write_all(RESULTS, b"\n")


def take_signals() -> None:
    """Undo what the supervisor ignores."""
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
        signal.signal(number, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)


def limit_resources(request: dict[str, Any]) -> None:
    """Set the limits that the kernel keeps for each process."""
    if request["own_cpu_share"]:
        os.nice(19)  # against the supervisor alone, which must be able to act while many processes run
    cpu_s = math.ceil(request["cpu_s"])
    resource.setrlimit(resource.RLIMIT_CPU, (cpu_s, cpu_s + 1))
    limits = {
        resource.RLIMIT_DATA: request["memory_mb"] * 2**20,
        resource.RLIMIT_FSIZE: request["disk_mb"] * 2**20,
        resource.RLIMIT_NOFILE: request["open_files"],
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_MEMLOCK: 0,
        resource.RLIMIT_MSGQUEUE: 0,
    }
    if request["counts_processes"]:
        limits[resource.RLIMIT_NPROC] = request["processes"] + 1  # the supervisor counts too
    for name, value in limits.items():
        resource.setrlimit(name, (value, value))


def prepare_interpreter(text: str) -> None:
    """Make it look freshly started with the program's file, which lies in no folder."""
    sys.argv = [FILE]
    sys.path.insert(0, FOLDER)
    sys.set_int_max_str_digits(0)
    linecache.cache[FILE] = (len(text), None, text.splitlines(keepends=True), FILE)


def run_script(text: str) -> NoReturn:
    """Run the program as `python program.py` would, and end as it would."""
    code = guarded(lambda: load(text, "__main__")) or 0
    finish: Sequence[Callable[[], object]] = (
        threading._shutdown,  # type: ignore[attr-defined] # waits for threads
        atexit._run_exitfuncs,
        sys.stdout.flush,
        sys.stderr.flush,
    )
    for step in finish:
        code = guarded(step) or code
    os._exit(code)


def run_calls(text: str, entry_point: str, calls: Sequence[str]) -> NoReturn:
    """Load the program as a module, call its function, and write a line of results for each call."""
    code = guarded(lambda: load(text, "program"))
    if code is not None:
        os._exit(code)
    function: Any = getattr(sys.modules.get("program"), entry_point, None)
    for call in calls:
        args, kwargs = json.loads(call)
        try:
            line = json.dumps(["returned", encode(function(*args, **kwargs))])
        except MemoryError:
            write_all(RESULTS, MEMORY)
            os._exit(1)
        except BaseException as error:  # whatever a program raises, the next call follows
            line = json.dumps(["raised", describe(error)])
        write_all(RESULTS, line.encode() + b"\n")
    guarded(sys.stdout.flush)
    os._exit(0)


def load(text: str, name: str) -> None:
    """Execute the program as the module of this name."""
    module = sys.modules[name] = ModuleType(name)
    exec(compile(text, FILE, "exec"), module.__dict__)


def guarded(step: Callable[[], object]) -> int | None:
    """Take a step of the program; return the exit code that Python would end with, None where it would go on."""
    try:
        step()
    except SystemExit as end:
        if end.code is None or isinstance(end.code, int):
            return (end.code or 0) & 0xFF
        with contextlib.suppress(BaseException):
            print(end.code, file=sys.stderr)
        return 1
    except MemoryError:
        write_all(RESULTS, MEMORY)
        return 1
    except BaseException as error:
        with contextlib.suppress(BaseException):
            outer = error.__traceback__
            while outer is not None and outer.tb_frame.f_code.co_filename != FILE:
                outer = outer.tb_next
            traceback.print_exception(error.with_traceback(outer), file=sys.stderr)
        return 1
    return None


def describe(error: BaseException) -> str:
    """One line on an exception."""
    with contextlib.suppress(BaseException):
        return f"{type(error).__name__}: {error}"[:200]
    return "an exception that cannot be printed"
