"""Rewrites check code so that what fails in it is stepped over."""

from __future__ import annotations

import ast

STEPPED = "try:\n    pass\nexcept Exception:\n    _step_over()"
WHOLE = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom, ast.Global, ast.Nonlocal)
"""Statements that are not stepped over themselves."""


def stepping(check: str) -> str:
    """Return check code in whose functions each statement that raises an Exception calls `_step_over` and goes on.

    `_step_over` may raise it again, for a handler of the check's own. Assert messages are left out. Raises SyntaxError
    for what is no Python.
    """
    tree = ast.parse(check)
    for statement in tree.body:
        if isinstance(statement, WHOLE):
            _step_inside(statement)
    return ast.unparse(tree)


def _step_inside(statement: ast.stmt | ast.match_case | ast.ExceptHandler) -> None:
    for field in ("body", "orelse", "finalbody"):
        statements = getattr(statement, field, [])
        statements[:] = map(_step, statements)
    for inner in (*getattr(statement, "cases", ()), *getattr(statement, "handlers", ())):
        _step_inside(inner)


def _step(statement: ast.stmt) -> ast.stmt:
    _step_inside(statement)
    if isinstance(statement, WHOLE):
        return statement
    if isinstance(statement, ast.Assert):
        statement.msg = None
    wrapped = ast.parse(STEPPED).body[0]
    assert isinstance(wrapped, ast.Try)
    wrapped.body = [statement]
    return wrapped
