"""What a mathematical answer can be, as plain immutable data: expressions, and the forms that hold them."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal


class UnreadableError(Exception):
    """The text is not an answer that the reader understands. The message says why, for a person."""


@dataclass(frozen=True, slots=True)
class Num:
    """A literal number, exact: decimals are fractions of powers of ten."""

    value: Fraction


@dataclass(frozen=True, slots=True)
class Const:
    """`pi`, `e`, `i` (the imaginary unit) or `oo` (infinity)."""

    name: str


@dataclass(frozen=True, slots=True)
class Sym:
    """A variable. Subscripts, primes and decorations are part of its name: `x_1`, `y'`, `vec v`."""

    name: str


@dataclass(frozen=True, slots=True)
class Fn:
    """A known operation: `add`, `mul`, `div`, `pow`, `neg`, `root` (radicand, degree), `sin`, `pm`, `deg`, ..."""

    name: str
    args: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Call:
    """An operation that is compared and never computed: `f(2)`, `O(n)`, a sum with its bounds."""

    name: str
    args: tuple[Expr, ...]


Expr = Num | Const | Sym | Fn | Call


@dataclass(frozen=True, slots=True)
class Quantity:
    """A value with the unit that stands behind it; `""` where there is none. Percent and degree are units."""

    value: Expr
    unit: str = ""


@dataclass(frozen=True, slots=True)
class Text:
    """Words that are no mathematics: a name, "no solution". Lower case, without punctuation."""

    words: str


@dataclass(frozen=True, slots=True)
class Dots:
    """`...` inside a list."""


@dataclass(frozen=True, slots=True)
class Listing:
    """Several answers: `1, 2`, `1 or 2` (order is free), or a set in braces."""

    items: tuple[Answer, ...]
    braces: bool = False
    union: bool = False
    """Joined by "or": of inequalities this is the union."""


@dataclass(frozen=True, slots=True)
class Bracketed:
    """`(a, b)`, `[a, b)`, `(a, b, c)`: a point, a vector or an interval; order and brackets count."""

    left: str
    right: str
    items: tuple[Answer, ...]


@dataclass(frozen=True, slots=True)
class Union:
    """Intervals and finite sets joined by a cup, in any order."""

    parts: tuple[Answer, ...]


Relator = Literal["=", "~", "<", "<=", ">", ">=", "!="]


@dataclass(frozen=True, slots=True)
class Relation:
    """A chain `side op side op side`; `~` is "about equal"."""

    sides: tuple[Answer, ...]
    ops: tuple[Relator, ...]


@dataclass(frozen=True, slots=True)
class Ratio:
    """`1:2:3`, or a time of day such as `12:05 pm` (`clock`, with its `half` of the day where one is given)."""

    items: tuple[Answer, ...]
    clock: bool = False
    half: str = ""


@dataclass(frozen=True, slots=True)
class Matrix:
    """Rows of expressions; the kind of bracket does not count, a determinant's bars are not read as a matrix."""

    rows: tuple[tuple[Expr, ...], ...]


@dataclass(frozen=True, slots=True)
class Based:
    """A number written in a base, `204_5`: digits without leading zeros."""

    digits: str
    base: int


Answer = Quantity | Text | Dots | Listing | Bracketed | Union | Relation | Ratio | Matrix | Based
