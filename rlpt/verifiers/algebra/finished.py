"""Tells a number from work still to do: 22 from 17 + 5.

A policy that is asked for 17 + 5 must not be paid for writing down 17 + 5, although both have the same value.
"""

from __future__ import annotations

from fractions import Fraction

from rlpt.verifiers.algebra.nodes import (
    Answer,
    Bracketed,
    Const,
    Expr,
    Fn,
    Listing,
    Num,
    Quantity,
    Ratio,
    Relation,
    Sym,
)

_TEN = Num(Fraction(10))


def is_number(answer: Answer) -> bool:
    """Whether an answer is a number, or several, and no expression."""
    match answer:
        case Quantity(value):
            return _is_literal(value)
        case Listing(items) | Bracketed(_, _, items):
            return all(map(is_number, items))
        case Relation((Quantity(Sym()), *_, last)):
            return is_number(last)
    return False


def is_finished(answer: Answer) -> bool:
    """Whether no sum, difference or product of numbers is left in an answer to be computed."""
    match answer:
        case Quantity(value):
            return _is_computed(value)
        case Listing(items) | Bracketed(_, _, items) | Ratio(items):
            return all(map(is_finished, items))
        case Relation(sides, ops):  # what stands behind "about" only repeats it
            return is_finished(sides[ops.index("~") if "~" in ops[1:] else -1])
    return True


def _is_literal(value: Expr) -> bool:
    match value:
        case Num():
            return True
        case Fn("neg" | "pm" | "inv", (inner,)):
            return _is_literal(inner)
        case Fn("mul", (top, Fn("inv", (bottom,)))):
            return _is_literal(top) and _is_literal(bottom)
    return False


def _is_computed(value: Expr) -> bool:
    match value:
        case Num() | Const() | Sym():
            return True
        case Fn("add"):
            return False
        case Fn("mul", args):
            return sum(_is_factor(arg) for arg in args) < 2 and all(map(_is_computed, args))
    return all(map(_is_computed, value.args))


def _is_factor(value: Expr) -> bool:
    """Whether a factor is a number itself; a power of ten is part of how one is written."""
    match value:
        case Num():
            return True
        case Fn("pow", (base, _)):
            return isinstance(base, Num) and base != _TEN
    return False
