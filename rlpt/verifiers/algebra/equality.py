"""Decides whether two expressions are the same: rational values exactly, all others in precision beyond doubt.

Expressions with variables are compared at fixed points. Polynomials and rational functions are computed exactly there,
so two different ones agree at all points with negligible probability (Schwartz 1980, Zippel 1979).
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import lru_cache
from typing import Any

import mpmath  # type: ignore[import-untyped]

from rlpt.verifiers.algebra.evaluate import Evaluator, TooLargeError, UndefinedError, Value
from rlpt.verifiers.algebra.nodes import Call, Const, Expr, Fn, Num, Sym

BASE_PRECISION = 400
MAX_PRECISION = 20_000
NEEDED_POINTS = 3

_POINTS = (
    "large",
    "large",
    "large",
    "small",
    "small",
    "negative",
    "negative",
    "whole",
    "whole",
    "whole",
    "mixed",
    "mixed",
)
_local = threading.local()


def _context() -> Any:  # noqa: ANN401
    """A precision of one's own: mpmath's shared one would be changed by other threads."""
    if not hasattr(_local, "context"):
        _local.context = mpmath.MPContext()
    return _local.context


def equal(a: Expr, b: Expr) -> bool:
    """Whether two expressions have the same value wherever both have one. False where that cannot be decided."""
    if a == b:
        return True
    if has_infinity(a) or has_infinity(b):
        return False
    names = symbols(a) | symbols(b)
    if not names:
        try:
            return _compare_at(a, b, {})[0]
        except (UndefinedError, TooLargeError):
            return False
    return _equal_at_points(a, b, names)


def ratio(a: Expr, b: Expr) -> int:
    """The sign of the constant c with a = c * b at all points; 0 where there is none."""
    factors: list[Expr] = []
    for point in points(symbols(a) | symbols(b)):
        try:
            top, bottom = _exact_or_float(a, point), _exact_or_float(b, point)
        except (UndefinedError, TooLargeError):
            continue
        if isinstance(top, Fraction) and isinstance(bottom, Fraction):
            if (top == 0) != (bottom == 0):
                return 0
            if top == 0:
                continue
            factors.append(Num(top / bottom))
        else:
            scale = Fn("mul", (at(a, point), Fn("inv", (at(b, point),))))
            factors.append(scale)
    if len(factors) < NEEDED_POINTS or not all(equal(factors[0], factor) for factor in factors[1:]):
        return 0
    try:
        sign = _exact_or_float(factors[0], {})
    except (UndefinedError, TooLargeError):
        return 0
    if isinstance(sign, _context().mpc):
        return 0
    return int(sign > 0) - int(sign < 0)


def less(a: Expr, b: Expr) -> bool:
    """Whether the constant a is below the constant b; infinities count. False where that cannot be decided."""
    if has_infinity(a) or has_infinity(b):
        return a == Fn("neg", (Const("oo"),)) != b or b == Const("oo") != a
    try:
        difference = _exact_or_float(Fn("add", (b, Fn("neg", (a,)))), {})
    except (UndefinedError, TooLargeError, KeyError):
        return False
    return not isinstance(difference, _context().mpc) and bool(difference > 0)


def symbols(expr: Expr) -> frozenset[str]:
    """The variables in an expression."""
    match expr:
        case Sym(name):
            return frozenset((name,))
        case Fn(_, args) | Call(_, args):
            return frozenset().union(*(symbols(arg) for arg in args))
    return frozenset()


def has_infinity(expr: Expr) -> bool:
    """Whether infinity occurs in an expression."""
    match expr:
        case Const(name):
            return name == "oo"
        case Fn(_, args) | Call(_, args):
            return any(has_infinity(arg) for arg in args)
    return False


def at(expr: Expr, point: Mapping[str, Fraction]) -> Expr:
    """The expression with numbers in place of its variables."""
    match expr:
        case Sym(name):
            return Num(point[name])
        case Fn(name, args):
            return Fn(name, tuple(at(arg, point) for arg in args))
        case Call(name, args):
            return Call(name, tuple(at(arg, point) for arg in args))
    return expr


def points(names: frozenset[str]) -> Iterator[Mapping[str, Fraction]]:
    """The points of comparison. They depend on the names alone, so that a verdict never changes."""
    for index, kind in enumerate(_POINTS):
        yield {name: _coordinate(name, index, kind) for name in names}


@lru_cache(maxsize=4_096)
def _coordinate(name: str, index: int, kind: str) -> Fraction:
    digest = hashlib.blake2b(f"{name} {index}".encode(), digest_size=4).digest()
    number = int.from_bytes(digest, "big")
    odd = 2 * (number % 61) + 3  # odd over 64: a power of a negative number is then complex, and no root is whole
    match kind:
        case "large":
            return 1 + Fraction(odd, 64)
        case "small":
            return Fraction(odd, 128)
        case "negative":
            return -Fraction(odd, 64)
        case "whole":
            return Fraction(2 + number % 11)
    return Fraction(odd if number & 64 else -odd, 32)


def _equal_at_points(a: Expr, b: Expr, names: frozenset[str]) -> bool:
    """Real values decide; complex ones only where there are no real ones: sqrt(1/n) is 1/sqrt(n) for n > 0."""
    real = complex_ = 0
    complex_differs = False
    for point in points(names):
        try:
            same, both_real = _compare_at(a, b, point)
        except (UndefinedError, TooLargeError):
            continue
        if both_real:
            if not same:
                return False
            real += 1
        else:
            complex_ += 1
            complex_differs = complex_differs or not same
    return real >= NEEDED_POINTS or (real == 0 and complex_ >= NEEDED_POINTS and not complex_differs)


def _exact_or_float(expr: Expr, point: Mapping[str, Fraction]) -> Value:
    context = _context()
    context.prec = BASE_PRECISION
    return Evaluator(context, point).value(expr)


def _compare_at(a: Expr, b: Expr, point: Mapping[str, Fraction]) -> tuple[bool, bool]:
    """Return whether both values are the same and whether both are real.

    The precision grows with the numbers involved: what is left of a difference of equal values then lies far below
    the smallest difference that unequal ones of this size could have.
    """
    context = _context()
    precision = BASE_PRECISION
    while True:
        context.prec = precision
        evaluator = Evaluator(context, point)
        left, right = evaluator.value(a), evaluator.value(b)
        if isinstance(left, Fraction) and isinstance(right, Fraction):
            return left == right, True
        real = not isinstance(left, context.mpc) and not isinstance(right, context.mpc)
        difference = evaluator.float(left) - evaluator.float(right)
        needed = BASE_PRECISION + 4 * evaluator.height + 2 * (evaluator.peak - evaluator.trough)
        if needed <= precision:
            return not difference or bool(context.mag(difference) < evaluator.peak - precision // 2), real
        if needed > MAX_PRECISION:
            raise TooLargeError
        precision = needed
