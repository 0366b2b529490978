"""Reads calls in Python's syntax, `[f(a=1, b="x"), g()]`, from their syntax tree. Nothing is ever evaluated.

Arguments are literals: texts, numbers, True, False, None, and lists, tuples and dictionaries of them.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Mapping, Sequence
from typing import Any

from rlpt.verifiers.programs import parse
from rlpt.verifiers.structured.strict_json import MOST_DEPTH, MOST_DIGITS

_LARGEST = 10**MOST_DIGITS


def python_calls(text: str, parameters: Mapping[str, Sequence[str]]) -> list[tuple[str, dict[str, Any]]]:
    """Return name and arguments of each call. `parameters`: tool -> its parameters in order, for positional arguments.

    Raises:
        ValueError: for anything else than calls with literal arguments; the message says why.
    """
    tree = parse(text)
    if tree is None:
        raise ValueError("no call in Python's syntax")
    _check_names(text, tree)
    match tree.body:
        case [ast.Expr(value=ast.List(elts=elements) | ast.Tuple(elts=elements))]:
            return [_call(element, parameters) for element in elements]
        case [ast.Expr(value=ast.Call() as element)]:
            return [_call(element, parameters)]
    raise ValueError("no list of calls in Python's syntax")


def _check_names(text: str, tree: ast.Module) -> None:
    """Refuse names that Python takes for others: it normalises a full-width `f` to `f`, which no tool was named."""
    if text.isascii():
        return
    lines = text.encode().splitlines()
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name) | ast.keyword(arg=str(name)):
                written = lines[node.lineno - 1][node.col_offset :].startswith(name.encode())
            case ast.Attribute(attr=name):
                written = lines[(node.end_lineno or 1) - 1][: node.end_col_offset].endswith(name.encode())
            case _:
                continue
        if not written:
            raise ValueError(f"the name {name} is written in other characters")


def _call(node: ast.expr, parameters: Mapping[str, Sequence[str]]) -> tuple[str, dict[str, Any]]:
    if not isinstance(node, ast.Call):
        raise ValueError("something else than a call stands in the list")
    name = _name(node.func)
    known = parameters.get(name, ())
    if len(node.args) > len(known):
        raise ValueError(f"{name} is called with positional arguments that have no names")
    pairs = [*zip(known, node.args, strict=False), *((keyword.arg, keyword.value) for keyword in node.keywords)]
    arguments: dict[str, Any] = {}
    for key, value in pairs:
        if key is None:
            raise ValueError(f"{name} is called with unpacked arguments")
        if key in arguments:
            raise ValueError(f"{name} is called with the argument {key} twice")
        arguments[key] = _literal(value, 1)
    return name, arguments


def _name(node: ast.expr) -> str:
    """`a.b.c` as it is written."""
    names: list[str] = []
    while isinstance(node, ast.Attribute):
        names.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        raise ValueError("what is called is no name")
    return ".".join([node.id, *reversed(names)])


def _literal(node: ast.expr, depth: int) -> Any:  # noqa: ANN401
    if depth > MOST_DEPTH:
        raise ValueError(f"arguments are nested deeper than {MOST_DEPTH}")
    match node:
        case ast.Constant(value=value):
            return _constant(value)
        case ast.UnaryOp(op=ast.USub() | ast.UAdd() as sign, operand=ast.Constant(value=int() | float() as value)):
            if isinstance(value, bool):
                raise ValueError("a sign stands before a truth value")
            return _constant(-value if isinstance(sign, ast.USub) else value)
        case ast.List(elts=elements):
            return [_literal(element, depth + 1) for element in elements]
        case ast.Tuple(elts=elements):
            return tuple(_literal(element, depth + 1) for element in elements)
        case ast.Dict(keys=keys, values=values):
            return _dictionary(keys, values, depth)
    raise ValueError("an argument is no literal")


def _dictionary(keys: Sequence[ast.expr | None], values: Sequence[ast.expr], depth: int) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in zip(keys, values, strict=True):
        name = _literal(key, depth + 1) if key is not None else None
        if not isinstance(name, str) or name in found:
            raise ValueError("a dictionary's keys are not different texts")
        found[name] = _literal(value, depth + 1)
    return found


def _constant(value: object) -> str | int | float | bool | None:
    """The same values that strict JSON has."""
    if isinstance(value, str):
        try:
            value.encode()
        except UnicodeEncodeError:
            raise ValueError("a text holds half of a surrogate pair") from None
        return value
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int) and abs(value) < _LARGEST:
        return value
    if isinstance(value, float) and math.isfinite(value):
        return value
    raise ValueError("an argument is no text, truth value or number of a common size")
