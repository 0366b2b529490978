"""Finding the program in a completion. Nothing of it is run here."""

from __future__ import annotations

import ast
import re

MOST_CHARACTERS = 100_000
_FENCE = re.compile(r"^[ \t]*(```+|~~~+)[ \t]*([\w+#.-]*)[^\n]*$", re.MULTILINE)
_PYTHON = frozenset({"", "python", "py", "python3"})


def extract_program(completion: str) -> str | None:
    """The last fenced block that is Python or has no language; the whole text where it has no fence and parses.

    A fence that is not closed runs to the end. None where there is no program.
    """
    blocks, position = [], 0
    while opening := _FENCE.search(completion, position):
        closing = re.compile(rf"^[ \t]*{re.escape(opening[1])}[ \t]*$", re.MULTILINE).search(completion, opening.end())
        end = closing.start() if closing else len(completion)
        if opening[2].lower() in _PYTHON:
            blocks.append(completion[opening.end() + 1 : end])
        position = closing.end() if closing else len(completion)
    if blocks:
        return blocks[-1]
    if _FENCE.search(completion) is None and parse(completion) is not None:
        return completion
    return None


def parse(source: str) -> ast.Module | None:
    """The syntax tree, or None where the source is no Python, or too large or too deep to be looked at."""
    if len(source) > MOST_CHARACTERS or not source.strip():
        return None
    try:
        return ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def defines(source: str, name: str) -> bool:
    """Whether the source binds `name` at its top level as a function or by assignment."""
    tree = parse(source)
    return tree is not None and any(_binds(node, name) for node in tree.body)


def _binds(node: ast.stmt, name: str) -> bool:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return node.name == name
    if isinstance(node, ast.Assign):
        return any(isinstance(target, ast.Name) and target.id == name for target in node.targets)
    return False
