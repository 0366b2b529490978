"""Runs a program piece by piece in its own process, as Python's prompt does."""

from __future__ import annotations

import math
import os
import resource
import sys
import time
from collections.abc import Iterator
from types import CodeType, ModuleType
from typing import NoReturn

from rlpt.sandbox.inside.channel import read_message, write_all
from rlpt.sandbox.inside.program import MEMORY, RESULTS, exit_code, guarded, remember, show, write_files

DONE, RAISED = '["{}", "done"]\n', '["{}", "raised"]\n'
"""The last result of a piece, with its mark."""


def run_pieces(commands: int) -> NoReturn:
    """Run the pieces that arrive over a descriptor, one after the other, until none comes any more."""
    module = sys.modules["__main__"] = ModuleType("__main__")
    end, process, own = os._exit, os.getpid, os.getpid()
    number = 0
    while True:
        index, (text, *contents) = read_message(commands)
        number += 1
        extend_cpu(index["cpu_s"])
        line = DONE
        try:
            write_files(index["files"], contents)
            for part in parts(text.decode("utf-8", "surrogatepass"), f"piece_{number}.py"):
                exec(part, module.__dict__)
        except SystemExit as asked:
            code = exit_code(asked)
            guarded(sys.stdout.flush)
            end(code)
        except MemoryError:
            write_all(RESULTS, MEMORY)
            end(1)
        except BaseException as error:
            show(error)
            line = RAISED
        guarded(sys.stdout.flush)
        guarded(sys.stderr.flush)
        if process() != own:
            end(0)
        write_all(RESULTS, line.format(index["mark"]).encode())


def parts(text: str, file: str) -> Iterator[CodeType]:
    """Compile a piece in two: its last statement as at a prompt, which prints the value of an expression."""
    import ast  # here, and not in the supervisor, of which every program is a copy

    remember(text, file)
    tree = ast.parse(text, file)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    yield compile(tree, file, "exec")
    if last is not None:
        yield compile(ast.Interactive([last]), file, "single")


def extend_cpu(cpu_s: float) -> None:
    """Give the next piece its CPU time; those before have used some. The hard limit stays open for the pieces after."""
    resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(time.process_time() + cpu_s), resource.RLIM_INFINITY))
