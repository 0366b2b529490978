"""Foresees the calls that check code makes, where they can be read from it: one after the other, of plain arguments.

A guess, which costs nothing: whoever uses it sees what the check really calls, and none of it is believed.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator
from typing import NoReturn

from rlpt.sandbox.inside.encode import encode

STRAIGHT = (ast.Assert, ast.Expr, ast.Assign, ast.AnnAssign, ast.Pass, ast.Import, ast.ImportFrom)
"""Statements that run once, one after the other."""

BRANCHING = (ast.IfExp, ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.NamedExpr)
"""Expressions of which a part may run never, or several times."""

LONGEST_BITS = 64
"""Of whole numbers that are computed."""

PLAIN = (bool, int, float, str, bytes, type(None))


class _UnforeseenError(Exception):
    """The calls cannot be read."""


def foreseen(tree: ast.Module, entry_point: str) -> tuple[str, ...]:
    """Return the arguments of the calls, as the check's host writes them; empty where they cannot be read.

    `tree`: check code that defines `check` with one parameter. The messages of asserts make no call. Sets are not
    read, since their order is not the same everywhere.
    """
    function = next(one for one in reversed(tree.body) if isinstance(one, ast.FunctionDef) and one.name == "check")
    arguments = function.args
    candidate = frozenset({entry_point, (arguments.posonlyargs + arguments.args)[0].arg})
    others = [one for one in tree.body if one is not function]
    if function.decorator_list or any(_mentions(one, candidate) for one in others):
        return ()
    try:
        return tuple(call for statement in function.body for call in _of_statement(statement, candidate))
    except (_UnforeseenError, RecursionError):
        return ()


def _mentions(node: ast.AST, names: frozenset[str]) -> bool:
    return any(isinstance(one, ast.Name) and one.id in names for one in ast.walk(node))


def _of_statement(statement: ast.stmt, candidate: frozenset[str]) -> Iterator[str]:
    if not isinstance(statement, STRAIGHT):
        raise _UnforeseenError
    yield from _of_expression(statement.test if isinstance(statement, ast.Assert) else statement, candidate)


def _of_expression(node: ast.AST, candidate: frozenset[str]) -> Iterator[str]:
    """The calls in a statement or an expression, in the order in which they are made."""
    match node:
        case ast.Call(func=ast.Name(id=name), args=args, keywords=keywords) if name in candidate:
            values = {keyword.arg or _unread(): _literal(keyword.value) for keyword in keywords}
            yield json.dumps(encode([list(map(_literal, args)), values]))
            return
        case ast.Name(id=name) if name in candidate:
            raise _UnforeseenError
    if isinstance(node, BRANCHING) or (isinstance(node, ast.BoolOp) and isinstance(node.op, ast.Or)):
        if _mentions(node, candidate):
            raise _UnforeseenError
        return
    for child in ast.iter_child_nodes(node):
        yield from _of_expression(child, candidate)


def _literal(node: ast.expr) -> object:
    match node:
        case ast.Constant(value=value) if isinstance(value, PLAIN):
            return value
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as value)):
            return -value
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub() | ast.Mult() as operator, right=right):
            return _computed(operator, _literal(left), _literal(right))
        case ast.List(elts=elements):
            return [_literal(one) for one in elements]
        case ast.Tuple(elts=elements):
            return tuple(_literal(one) for one in elements)
        case ast.Dict(keys=keys, values=values):
            # A key of None stands for another dictionary whose items are taken over.
            names = [_literal(key) if key is not None else _unread() for key in keys]
            return _dictionary(list(zip(names, map(_literal, values), strict=True)))
        case _:
            return _unread()


def _computed(operator: ast.operator, left: object, right: object) -> int:
    if type(left) is not int or type(right) is not int or max(left.bit_length(), right.bit_length()) > LONGEST_BITS:
        return _unread()
    match operator:
        case ast.Add():
            return left + right
        case ast.Sub():
            return left - right
        case _:
            return left * right


def _dictionary(pairs: list[tuple[object, object]]) -> object:
    try:
        return dict(pairs)
    except TypeError:  # a key that cannot be one
        return _unread()


def _unread() -> NoReturn:
    raise _UnforeseenError
