"""What runs of a program in its own process: a script from its start to its end, or calls of its function."""

from __future__ import annotations

import atexit
import contextlib
import json
import linecache
import os
import sys
import traceback
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any, NoReturn

from rlpt.sandbox.inside.channel import write_all
from rlpt.sandbox.inside.encode import decode, encode, equals_all

FOLDER = "/tmp"
FILE, PRELUDE_FILE = "program.py", "prelude.py"
HARNESS = "rlpt.sandbox.inside."
RESULTS = 3
"""Descriptor of the results: a line of JSON each, after an empty line that says that the request was taken."""

MEMORY = b'["memory"]\n'


def write_files(names: Sequence[str], contents: Sequence[bytes]) -> None:
    """Put the program's files into its folder, each in place of what has its name."""
    for name, content in zip(names, contents, strict=True):
        path = f"{FOLDER}/{name}"
        os.makedirs(os.path.dirname(path), exist_ok=True)  # noqa: PTH103, PTH120
        with contextlib.suppress(FileNotFoundError):
            os.unlink(path)  # noqa: PTH108 - it may be a pipe, or lead elsewhere
        with open(path, "wb", 0) as file:  # noqa: PTH123
            write_all(file.fileno(), content)


def run_script(text: str) -> NoReturn:
    """Run the program as `python program.py` would, and end as it would."""
    code = guarded(lambda: load(text, "__main__")) or 0
    finish: Sequence[Callable[[], object]] = (
        wait_for_threads,
        atexit._run_exitfuncs,
        sys.stdout.flush,
        sys.stderr.flush,
    )
    for step in finish:
        code = guarded(step) or code
    os._exit(code)


def wait_for_threads() -> None:
    """Do what Python does at its end, where the program has threads."""
    if (threading := sys.modules.get("threading")) is not None:
        threading._shutdown()


def run_calls(text: str, prelude: str, entry_point: str, calls: Sequence[Any], mark: str) -> NoReturn:
    """Load prelude and program as a module, call its function, and write a line of results for each call.

    Each line has the mark, which the program does not know. A copy of the process that it makes writes nothing and
    ends where the program's own code does.
    """
    end, process, own = os._exit, os.getpid, os.getpid()
    code = guarded(lambda: load(text, "program", prelude))
    if code is not None or process() != own:
        end(code or 0)
    function: Any = getattr(sys.modules.get("program"), entry_point, None)
    for call in calls:
        args, kwargs = decode(call)
        try:
            value = function(*args, **kwargs)
            result = ["returned", encode(value), equals_all(value)]
        except MemoryError:
            write_all(RESULTS, MEMORY)
            end(1)
        except BaseException as error:  # whatever a program raises, the next call follows
            result = ["raised", describe(error)]
        if process() != own:
            end(0)
        write_all(RESULTS, json.dumps([mark, *result]).encode() + b"\n")
    guarded(sys.stdout.flush)
    end(0)


def load(text: str, name: str, prelude: str = "") -> None:
    """Execute the program, behind its prelude, as the module of this name."""
    module = sys.modules[name] = ModuleType(name)
    for part, file in ((prelude, PRELUDE_FILE), (text, FILE)):
        remember(part, file)
        exec(compile(part, file, "exec"), module.__dict__)


def remember(text: str, file: str) -> None:
    """Let tracebacks show the lines of a text whose file lies in no folder."""
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)


def guarded(step: Callable[[], object]) -> int | None:
    """Take a step of the program; return the exit code that Python would end with, None where it would go on."""
    try:
        step()
    except SystemExit as asked:
        return exit_code(asked)
    except MemoryError:
        write_all(RESULTS, MEMORY)
        return 1
    except BaseException as error:
        show(error)
        return 1
    return None


def exit_code(asked: SystemExit) -> int:
    """The exit code that Python would end with; what is no number is printed."""
    if asked.code is None or isinstance(asked.code, int):
        return (asked.code or 0) & 0xFF
    with contextlib.suppress(BaseException):
        print(asked.code, file=sys.stderr)
    return 1


def show(error: BaseException) -> None:
    """Print a traceback of the program's own lines."""
    with contextlib.suppress(BaseException):
        outer = error.__traceback__
        while outer is not None and outer.tb_frame.f_code.co_filename.startswith(HARNESS):
            outer = outer.tb_next
        traceback.print_exception(error.with_traceback(outer), file=sys.stderr)


def describe(error: BaseException) -> str:
    """One line on an exception."""
    with contextlib.suppress(BaseException):
        return f"{type(error).__name__}: {error}"[:200]
    return "an exception that cannot be printed"
