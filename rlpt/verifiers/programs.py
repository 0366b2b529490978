"""Finds the program in a completion and looks at its syntax. Nothing of it is ever run here."""

from __future__ import annotations

import ast
import warnings

from rlpt.verifiers.answers import response
from rlpt.verifiers.fences import fences

MOST_CHARACTERS = 65_536
"""Longer programs are not looked at. Up to here the parser refuses what is nested too deep and does not crash."""

PYTHON = frozenset({"", "python", "python3", "py"})


def extract_program(completion: str) -> str | None:
    """Return the last fenced block that is Python or has no language; None where there is no program.

    A fence that is not closed runs to the end. Without any fence the whole text counts, where it is Python. What stands
    in `<think>` is no answer.
    """
    text = f"{response(completion)}\n"
    blocks = fences(text)
    if blocks:
        programs = [block for language, block in blocks if language in PYTHON]
        return programs[-1] if programs else None
    return text if parse(text) is not None else None


def parse(program: str) -> ast.Module | None:
    """Return the syntax tree; None for what is empty, too large, nested too deep, or no Python."""
    if len(program) > MOST_CHARACTERS or not program.strip():
        return None
    try:
        with warnings.catch_warnings():
            # What Python finds odd in a program ("\\d" in a plain text, `1 is 1`) is none of a run's business.
            warnings.simplefilter("ignore")
            return ast.parse(program)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def defines(tree: ast.Module, name: str) -> bool:
    """Whether a program binds `name` at its top level, also within `if`, `try` or `with`."""
    return any(_binds(statement, name) for statement in tree.body)


def _binds(statement: ast.stmt, name: str) -> bool:
    match statement:
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            return statement.name == name
        case ast.Assign(targets=targets):
            return any(isinstance(target, ast.Name) and target.id == name for target in targets)
        case ast.AnnAssign(target=ast.Name(id=bound), value=ast.expr()):
            return bound == name
        case ast.ImportFrom(names=aliases) | ast.Import(names=aliases):
            return any((alias.asname or alias.name) == name for alias in aliases)
        case ast.If() | ast.Try() | ast.With():
            inner = [*statement.body, *getattr(statement, "orelse", ()), *getattr(statement, "finalbody", ())]
            return any(_binds(one, name) for one in inner)
        case _:
            return False
