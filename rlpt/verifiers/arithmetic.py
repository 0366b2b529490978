# ruff: noqa: RUF001, RUF002
r"""Reads and computes an arithmetic expression of whole numbers, exactly. Nothing is evaluated but the four operations.

Operators: `+ - * /`, also `× · ⋅ ÷ −`, `\times`, `\cdot`, `\div`, `\frac{a}{b}`. No signs, powers, decimals, and no
product without an operator. The text is read once from left to right with a stack, so that no nesting is too deep.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction

_TOKEN = re.compile(
    r"(?P<number>[0-9]+)|(?P<operator>[-+*/×·⋅÷−]|\\(?:times|cdot|div)(?![A-Za-z]))"
    r"|(?P<frac>\\[dt]?frac(?![A-Za-z]))|(?P<bracket>(?:\\left\s*)?\(|(?:\\right\s*)?\)|[{}])"
    r"|(?P<space>\s+|\\[ ,;:!])"
)
_MEANINGS = {"×": "*", "·": "*", "⋅": "*", r"\times": "*", r"\cdot": "*", "÷": "/", r"\div": "/", "−": "-"}
_PRECEDENCE = {"+": 1, "-": 1, "*": 2, "/": 2}
_NUMERATOR, _DENOMINATOR = "numerator", "denominator"


class ExpressionError(Exception):
    """The text is no such expression, or has no value. The message is a phrase for a person."""


def tokens(text: str) -> list[str]:
    r"""Split an expression: digits, `+ - * /`, brackets `( ) { }` and `\frac`. Raises ExpressionError for all else."""
    found: list[str] = []
    position = 0
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            raise ExpressionError(f"{text[position]!r} does not belong in it")
        position = match.end()
        match match.lastgroup:
            case "operator":
                found.append(_MEANINGS.get(match[0], match[0]))
            case "frac":
                found.append(r"\frac")
            case "bracket":
                found.append(match[0][-1])
            case "number":
                found.append(match[0])
    return found


def numbers(expression: Sequence[str]) -> list[str]:
    """The numbers among tokens, as they are written."""
    return [token for token in expression if token[0] in "0123456789"]


def value(expression: Sequence[str], *, fractions: bool) -> Fraction:
    """Compute tokens, from left to right and products first. Its numbers are to be few and short: see that before.

    `fractions`: whether a quotient on the way may be no whole number. Raises ExpressionError for what is no expression.
    """
    values: list[Fraction] = []
    pending: list[str] = []  # operators and open brackets
    operand_next = True
    position = 0
    while position < len(expression):
        token = expression[position]
        position += 1
        if operand_next != (token[0] in "0123456789(\\"):
            raise ExpressionError(f"{token[:20]!r} stands where it cannot")
        if token == "(":
            pending.append(token)
        elif token == r"\frac":
            position = _open(expression, position)
            pending.append(_NUMERATOR)
        elif token in _PRECEDENCE:
            _reduce(values, pending, _PRECEDENCE[token], fractions)
            pending.append(token)
            operand_next = True
        elif token in (")", "}"):
            _reduce(values, pending, 0, fractions)
            bracket = pending.pop() if pending else ""
            if not bracket or (token == ")") != (bracket == "("):
                raise ExpressionError("its brackets do not match")
            if bracket == _NUMERATOR:
                position = _open(expression, position)
                pending.append(_DENOMINATOR)
                operand_next = True
            elif bracket == _DENOMINATOR:
                _apply("/", values, fractions)
        elif token == "{":
            raise ExpressionError("its brackets do not match")
        else:
            values.append(Fraction(int(token)))
            operand_next = False
    _reduce(values, pending, 0, fractions)
    if operand_next or pending:
        raise ExpressionError("it is not complete")
    return values[0]


def _open(expression: Sequence[str], position: int) -> int:
    if position >= len(expression) or expression[position] != "{":
        raise ExpressionError(r"\frac needs its parts in braces")
    return position + 1


def _reduce(values: list[Fraction], pending: list[str], precedence: int, fractions: bool) -> None:
    """Apply the pending operators that bind at least as strongly, up to the last open bracket."""
    while pending and _PRECEDENCE.get(pending[-1], -1) >= precedence:
        _apply(pending.pop(), values, fractions)


def _apply(operator: str, values: list[Fraction], fractions: bool) -> None:
    right, left = values.pop(), values.pop()
    match operator:
        case "+":
            values.append(left + right)
        case "-":
            values.append(left - right)
        case "*":
            values.append(left * right)
        case _:
            if not right:
                raise ExpressionError("it divides by zero")
            quotient = left / right
            if quotient.denominator != 1 and not fractions:
                raise ExpressionError("a quotient in it is not whole")
            values.append(quotient)
