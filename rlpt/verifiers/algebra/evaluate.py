"""Computes the value of an expression at a point: exactly while it is rational, in high precision where it is not.

Sizes are checked before anything is computed, so that towers of powers and factorials of huge numbers end at once in
`TooLargeError`. Only our own tree is walked; no string reaches a parser or evaluator of another library.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from rlpt.verifiers.algebra.nodes import Call, Const, Expr, Fn, Num, Sym

MAX_BITS = 100_000
"""Of an exact number."""
MAX_MAGNITUDE = 20_000
"""Of the binary exponent of a number in floating point."""
MAX_FACTORIAL = 5_000
MAX_DEGREE = 1_000
"""Of a root that is taken exactly where it can be."""

Value = Any
"""A Fraction while exact, else an mpf or mpc of the context (mpmath has no types)."""


class UndefinedError(Exception):
    """The expression has no value at this point."""


class TooLargeError(Exception):
    """The value would need more work than an answer may cost."""


class Evaluator:
    """Evaluates at one point.

    `height` says how many bits of exact numbers went into inexact values; `peak` and `trough` are the largest and the
    smallest binary exponent among those.
    """

    def __init__(self, context: Any, point: Mapping[str, Fraction]) -> None:  # noqa: ANN401
        self.context = context
        self.point = point
        self.height = 0
        self.peak = 0
        self.trough = 0

    def value(self, expr: Expr) -> Value:
        match expr:
            case Num(value):
                return value
            case Sym(name):
                return self.point[name]
            case Const(name):
                return self._constant(name)
            case Call(name, args):
                return self._opaque(name, [self.value(arg) for arg in args])
            case Fn(name, args):
                values = [self.value(arg) for arg in args]
                if name in _EXACT:
                    result = _EXACT[name](self, *values)
                elif name in _INEXACT:
                    result = self.inexact(name, *values)
                else:
                    raise UndefinedError(name)
                return self.checked(result)
        raise UndefinedError(str(expr))

    def checked(self, value: Value) -> Value:
        if isinstance(value, Fraction):
            if value.numerator.bit_length() + value.denominator.bit_length() > MAX_BITS:
                raise TooLargeError
            return value
        context = self.context
        if not context.isfinite(value):
            raise UndefinedError
        if isinstance(value, context.mpc) and abs(value.imag) <= context.ldexp(abs(value.real), -context.prec // 2):
            value = value.real
        if value:
            magnitude = context.mag(value)
            if abs(magnitude) > MAX_MAGNITUDE:
                raise TooLargeError
            self.peak = max(self.peak, magnitude)
            self.trough = min(self.trough, magnitude)
        return value

    def float(self, value: Value) -> Value:
        """The value in floating point."""
        if not isinstance(value, Fraction):
            return value
        self.height += value.numerator.bit_length() + value.denominator.bit_length()
        return self.context.mpf(value.numerator) / value.denominator

    def _constant(self, name: str) -> Value:
        if name == "oo":
            raise UndefinedError("infinity")
        return {"pi": self.context.pi, "e": self.context.e, "i": self.context.j}[name] * self.context.mpf(1)

    def _opaque(self, name: str, values: list[Value]) -> Fraction:
        """An unknown function: equal arguments give equal values, and nothing else is known of it."""
        texts = [str(value) if isinstance(value, Fraction) else self.context.nstr(value, 25) for value in values]
        digest = hashlib.blake2b("\0".join([name, *texts]).encode(), digest_size=4).digest()
        return Fraction(2 * int.from_bytes(digest, "big") + 1, 64)

    def inexact(self, name: str, *values: Value) -> Value:
        floats = [self.float(value) for value in values]
        if any(floats) and max(self.context.mag(value) for value in floats if value) > 4_000:
            raise TooLargeError
        try:
            return _INEXACT[name](self.context, *floats)
        except (ZeroDivisionError, ValueError, TypeError) as error:
            raise UndefinedError(name) from error

    def add(self, *values: Value) -> Value:
        if all(isinstance(value, Fraction) for value in values):
            return sum(values, Fraction(0))
        return self.context.fsum(self.checked(self.float(value)) for value in values)

    def mul(self, *values: Value) -> Value:
        product: Value = Fraction(1)
        for value in values:
            if isinstance(product, Fraction) and isinstance(value, Fraction):
                product = product * value
            else:
                product = self.float(product) * self.float(value)
            product = self.checked(product)
        return product

    def inv(self, value: Value) -> Value:
        if not value:
            raise UndefinedError("division by zero")
        return 1 / value

    def pow(self, base: Value, exponent: Value) -> Value:
        if isinstance(exponent, Fraction):
            if exponent.denominator == 1:
                return self._integer_power(base, exponent.numerator)
            if isinstance(base, Fraction) and exponent.denominator <= MAX_DEGREE:
                root = self.root(base, Fraction(exponent.denominator))
                return self._integer_power(root, exponent.numerator)
        return self._float_power(self.float(base), self.float(exponent))

    def _float_power(self, base: Value, exponent: Value) -> Value:
        if not base:
            raise UndefinedError("power of zero")
        size = self.context.mag(exponent) if exponent else 0
        if size > 15 or abs(self.context.mag(base)) * 2 ** max(size, 0) > MAX_MAGNITUDE:
            raise TooLargeError
        return self.context.power(base, exponent)

    def _integer_power(self, base: Value, exponent: int) -> Value:
        if not base and exponent < 0:
            raise UndefinedError("division by zero")
        if isinstance(base, Fraction):
            bits = max(base.numerator.bit_length(), base.denominator.bit_length())
            if bits > 1 and bits * abs(exponent) > MAX_BITS:
                raise TooLargeError
            return base ** (exponent if bits > 1 else exponent % 2 + 2 * (exponent != 0))
        if base and abs(exponent) * max(1, abs(self.context.mag(base))) > MAX_MAGNITUDE:
            raise TooLargeError
        return self.context.power(base, exponent)

    def root(self, radicand: Value, degree: Value) -> Value:
        """The real root where there is one, also of negative numbers for odd degrees."""
        if not isinstance(degree, Fraction) or degree.denominator != 1 or not 0 < degree <= MAX_DEGREE:
            return self._float_power(self.float(radicand), self.float(self.inv(degree)))
        n = degree.numerator
        if not radicand:
            return Fraction(0)
        negative = not isinstance(radicand, self.context.mpc) and radicand < 0
        if negative and n % 2 == 1:
            return -self.root(-radicand, degree)
        if isinstance(radicand, Fraction) and not negative:
            top, bottom = integer_root(radicand.numerator, n), integer_root(radicand.denominator, n)
            if top**n == radicand.numerator and bottom**n == radicand.denominator:
                return Fraction(top, bottom)
        return self.context.root(self.float(radicand), n)

    def factorial(self, value: Value) -> Value:
        if isinstance(value, Fraction) and value.denominator == 1:
            if value < 0:
                raise UndefinedError("factorial of a negative number")
            if value > MAX_FACTORIAL:
                raise TooLargeError
            return Fraction(math.factorial(value.numerator))
        if self.context.mag(self.float(value)) > 9:
            raise TooLargeError
        return self.inexact("gamma", self.add(value, Fraction(1)))

    def binom(self, n: Value, k: Value) -> Value:
        if isinstance(n, Fraction) and isinstance(k, Fraction) and n.denominator == k.denominator == 1 and n >= 0:
            if n > MAX_FACTORIAL:
                raise TooLargeError
            return Fraction(math.comb(n.numerator, k.numerator)) if k >= 0 else Fraction(0)
        return self.inexact("binomial", n, k)

    def rounded(self, value: Value, rounding: Callable[[Any], int]) -> Value:
        if not isinstance(value, Fraction):
            if isinstance(value, self.context.mpc) or self.context.mag(value) > 300:
                raise UndefinedError("rounding")
            nearest = int(self.context.nint(value))
            if abs(value - nearest) < self.context.ldexp(1, -self.context.prec // 2):
                return Fraction(nearest)
        return Fraction(rounding(value) if isinstance(value, Fraction) else int(rounding(value)))

    def integers(self, values: tuple[Value, ...], combine: Callable[..., int]) -> Fraction:
        if not all(isinstance(value, Fraction) and value.denominator == 1 for value in values):
            raise UndefinedError("not whole")
        return Fraction(combine(*(value.numerator for value in values)))

    def extreme(self, values: tuple[Value, ...], choose: Callable[..., Any]) -> Value:
        if any(isinstance(value, self.context.mpc) for value in values):
            raise UndefinedError("order of complex numbers")
        return choose(values, key=self.float)


def integer_root(value: int, degree: int) -> int:
    """The largest integer whose power `degree` is at most `value` (>= 0)."""
    if degree == 1 or value < 2:
        return value
    if degree == 2:
        return math.isqrt(value)
    if degree >= value.bit_length():
        return 1
    guess = 1 << -(-value.bit_length() // degree)
    while True:
        step = ((degree - 1) * guess + value // guess ** (degree - 1)) // degree
        if step >= guess:
            return guess
        guess = step


def _double_factorial(n: int) -> int:
    if not 0 <= n <= MAX_FACTORIAL:
        raise TooLargeError
    return math.prod(range(n, 0, -2))


_EXACT: dict[str, Callable[..., Value]] = {
    "add": Evaluator.add,
    "mul": Evaluator.mul,
    "inv": Evaluator.inv,
    "neg": lambda self, value: -value,
    "pow": Evaluator.pow,
    "root": Evaluator.root,
    "factorial": Evaluator.factorial,
    "double_factorial": lambda self, value: self.integers((value,), _double_factorial),
    "binom": Evaluator.binom,
    "abs": lambda self, value: abs(value),
    "floor": lambda self, value: self.rounded(value, math.floor if isinstance(value, Fraction) else self.context.floor),
    "ceil": lambda self, value: self.rounded(value, math.ceil if isinstance(value, Fraction) else self.context.ceil),
    "percent": lambda self, value: self.mul(value, Fraction(1, 100)),
    "deg": lambda self, value: self.float(value) * self.context.pi / 180,
    "gcd": lambda self, *values: self.integers(values, math.gcd),
    "lcm": lambda self, *values: self.integers(values, math.lcm),
    "max": lambda self, *values: self.extreme(values, max),
    "min": lambda self, *values: self.extreme(values, min),
}

_INEXACT: dict[str, Callable[..., Value]] = {
    **{name: (lambda c, x, name=name: getattr(c, name)(x)) for name in ("sin", "cos", "tan", "cot", "sec", "csc")},
    **{name: (lambda c, x, name=name: getattr(c, name)(x)) for name in ("sinh", "cosh", "tanh", "coth", "gamma")},
    "arcsin": lambda c, x: c.asin(x),
    "arccos": lambda c, x: c.acos(x),
    "arctan": lambda c, x: c.atan(x),
    "arccot": lambda c, x: c.acot(x),
    "binomial": lambda c, n, k: c.binomial(n, k),
    "ln": lambda c, x: c.log(x),
    "log": lambda c, x, base=None: c.log(x) if base is None else c.log(x) / c.log(base),
    "lg": lambda c, x: c.log(x) / c.log(10),
    "exp": lambda c, x: _exp(c, x),
}


def _exp(context: Any, x: Value) -> Value:  # noqa: ANN401
    if x and context.mag(x) > 14:
        raise TooLargeError
    return context.exp(x)
