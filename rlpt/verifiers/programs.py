"""Finds the program in a completion and looks at its syntax. Nothing of it is ever run here."""

from __future__ import annotations

import ast
import re
import warnings

MOST_CHARACTERS = 65_536
"""Longer programs are not looked at. Up to here the parser refuses what is nested too deep and does not crash."""

PYTHON = frozenset({"", "python", "python3", "py"})
# Possessive (`*+`), and only at the first of several marks, so that no text takes more than linear time.
_OPENING = re.compile(
    r"(?:(?<!`)(?P<ticks>`{3,}+)|^[ ]{0,3}(?P<tildes>~{3,}+))[ \t]*+([\w+#.-]*+)[^\n`]*+\n", re.MULTILINE
)


def extract_program(completion: str) -> str | None:
    """Return the last fenced block that is Python or has no language; None where there is no program.

    A fence that is not closed runs to the end. Without any fence the whole text counts, where it is Python. What stands
    in `<think>` is no answer.
    """
    text = completion.rpartition("</think>")[2].partition("<think>")[0]
    fences = list(_fences(text))
    if fences:
        blocks = [block for language, block in fences if language.lower() in PYTHON]
        return blocks[-1] if blocks else None
    return text if parse(text) is not None else None


def _fences(text: str) -> list[tuple[str, str]]:
    """Language and inside of each fenced block."""
    found: list[tuple[str, str]] = []
    position = 0
    while opening := _OPENING.search(text, position):
        fence, start = opening["ticks"] or opening["tildes"], opening.end()
        mark = fence[0]
        closing = re.compile(rf"(?<!{mark}){mark}{{{len(fence)},}}+[ \t]*+(?:\n|\Z)").search(text, start)
        end, position = (closing.start(), closing.end()) if closing else (len(text), len(text))
        found.append((opening[3], text[start:end]))
    return found


def parse(program: str) -> ast.Module | None:
    """Return the syntax tree; None for what is empty, too large, nested too deep, or no Python."""
    if len(program) > MOST_CHARACTERS or not program.strip():
        return None
    try:
        with warnings.catch_warnings():
            # What Python finds odd in a program ("\\d" in a plain text, `1 is 1`) is none of a run's business.
            warnings.simplefilter("ignore", SyntaxWarning)
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
