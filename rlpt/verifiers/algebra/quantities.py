"""Reads a value with what stands around it: a currency before it, a unit, percent or degree sign behind it."""

from __future__ import annotations

from collections.abc import Sequence

from rlpt.verifiers.algebra.expressions import ExpressionReader
from rlpt.verifiers.algebra.nodes import Const, Expr, Fn, Num, Quantity, Sym, UnreadableError
from rlpt.verifiers.algebra.tokens import Token
from rlpt.verifiers.algebra.units import DEGREE, DOLLAR, PERCENT, read_unit


def expression(tokens: Sequence[Token]) -> Expr:
    """Read an expression. Raises UnreadableError where anything is left over."""
    reader = ExpressionReader(tokens)
    value = reader.sum()
    if reader.rest():
        raise UnreadableError(f"{reader.peek().text!r} is left over")
    return value


def quantity(tokens: Sequence[Token]) -> Quantity:
    """quantity := [currency] expression [unit]"""
    tokens, unit = _without_currency(tokens)
    reader = ExpressionReader(tokens)
    value = reader.sum()
    rest = reader.rest()
    value, mark = _marked(value)
    unit = unit or mark
    if rest and rest[0].text in ("pmod", "mod"):
        return Quantity(value, "mod " + "".join(token.text for token in rest[1:]).strip("{}"))
    if rest:
        if not _has_number(value):
            raise UnreadableError("words after a value without a number")
        factor, behind = read_unit(_unit_words(rest))
        if factor != 1:
            value = Num(value.value * factor) if isinstance(value, Num) else Fn("mul", (value, Num(factor)))
        unit = unit or behind
    return Quantity(value, unit)


def _without_currency(tokens: Sequence[Token]) -> tuple[Sequence[Token], str]:
    for index in (0, 1):
        if index < len(tokens) and (tokens[0].text == "-" or index == 0):
            token = tokens[index]
            if token.text == "¤" or (token.kind == "text" and token.text in "€£¥"):
                unit = DOLLAR if token.text == "¤" else read_unit([token.text])[1]
                return [*tokens[:index], *tokens[index + 1 :]], unit
    if tokens[-1].text == "¤":
        return tokens[:-1], DOLLAR
    return tokens, ""


def _marked(value: Expr) -> tuple[Expr, str]:
    """Take a percent or degree sign off the whole value."""
    if isinstance(value, Fn):
        if value.name in ("percent", "deg"):
            return value.args[0], PERCENT if value.name == "percent" else DEGREE
        if value.name in ("neg", "pm"):
            inner, unit = _marked(value.args[0])
            return Fn(value.name, (inner,)), unit
    return value, ""


def _unit_words(tokens: Sequence[Token]) -> list[str]:
    """The tokens of a unit as words; UnreadableError for any other token."""
    words: list[str] = []
    for index, token in enumerate(tokens):
        before = next((one.text for one in reversed(tokens[:index]) if one.text != "{"), "")
        if token.kind == "text" or (token.kind == "op" and token.text in ("/", "*")):
            words.append(token.text)
        elif token.kind == "num" and before == "^" and token.text in "23":
            words.append(f"^{token.text}")
        elif token.text in ("^", "{", "}", "circ", "(", ")") or (token.kind == "sym" and before == "/"):
            words += [token.text] if token.kind == "sym" else []
        else:
            raise UnreadableError(f"{token.text!r} is no unit")
    return words


def _has_number(value: Expr) -> bool:
    if isinstance(value, Num | Const):
        return True
    return not isinstance(value, Sym) and any(_has_number(part) for part in value.args)
