"""What equations and inequalities stand for: a value behind a name, a set of numbers, or only themselves."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from rlpt.verifiers.algebra.equality import equal, has_infinity, less, ratio, symbols
from rlpt.verifiers.algebra.nodes import (
    Answer,
    Bracketed,
    Call,
    Const,
    Expr,
    Fn,
    Listing,
    Num,
    Quantity,
    Relation,
    Relator,
    Sym,
    Text,
    Union,
)

Same = Callable[[Answer, Answer], bool]

INFINITY = Const("oo")
_FLIPPED: dict[Relator, Relator] = {"<": ">", ">": "<", "<=": ">=", ">=": "<=", "=": "=", "!=": "!=", "~": "~"}
_NAMING = frozenset({"add", "mul", "inv", "abs", "factorial", "sin", "cos", "tan", "cot", "sec", "csc", "log", "ln"})
_ALL_REALS = frozenset({"reals", "all reals", "all real numbers", "real numbers", "all real"})


@dataclass(frozen=True, slots=True)
class Part:
    """One interval of a set of numbers; a single point where both ends are closed and the same."""

    low: Expr
    high: Expr
    low_closed: bool
    high_closed: bool


def values(relation: Relation, same: Same) -> list[Answer]:
    """What `x = 5`, `m + n = 10/2 = 5` or `100/3 ~ 33.3` gives as values; empty where it gives none.

    All sides that claim to be equal must be. An approximation counts as a value of its own only where it is the
    exact one rounded.
    """
    if not set(relation.ops) <= {"=", "~"}:
        return []
    sides = list(relation.sides)
    names = 0
    while names < len(sides) - 1 and _is_name(sides[names]):
        names += 1
    about = [index for index, op in enumerate(relation.ops) if op == "~" and index >= names]
    end = about[0] + 1 if about else len(sides)
    exact, rounded = sides[names:end], sides[end:]
    if not all(same(exact[0], side) for side in exact[1:]):
        return []
    return [exact[-1], *(side for side in rounded if _is_rounding(exact[-1], side))]


def equivalent(gold: Relation, answer: Relation, same: Same) -> bool:
    """Whether two relations say the same of the same variables."""
    if _symbols(gold) != _symbols(answer):
        return False
    if len(gold.sides) == len(answer.sides) == 2 and _same_two_sided(gold, answer):
        return True
    gold, answer = _rising(gold), _rising(answer)
    if gold.ops == answer.ops and all(map(same, gold.sides, answer.sides)):
        return True
    if _is_name(gold.sides[0]) and _is_name(answer.sides[0]) and same(gold.sides[0], answer.sides[0]):
        return any(same(left, right) for left in values(gold, same)[:1] for right in values(answer, same))
    left, right = as_set(gold), as_set(answer)
    return left is not None and right is not None and same_parts(left, right)


def as_set(answer: Answer) -> list[Part] | None:
    """The answer as a set of real numbers in parts; None where it is none."""
    match answer:
        case Bracketed("minus", _, (whole, without)):
            return _minus(as_set(whole), as_set(without))
        case Bracketed("(" | "[" as left, ")" | "]" as right, (Quantity(low, ""), Quantity(high, ""))):
            return [Part(low, high, left == "[", right == "]")]
        case Listing(items, braces=True):
            return [Part(item.value, item.value, True, True) for item in items if isinstance(item, Quantity)]
        case Union(items) | Listing(items, union=True):
            parts = [as_set(item) for item in items]
            return None if None in parts else [part for some in parts for part in some or ()]
        case Text(words) if words in _ALL_REALS:
            return [Part(Fn("neg", (INFINITY,)), INFINITY, False, False)]
        case Relation():
            return _solution(_rising(answer))
    return None


def same_parts(a: list[Part], b: list[Part]) -> bool:
    """Whether two sets have the same parts, in any order."""
    left = list(b)
    for part in a:
        found = next((other for other in left if _same_part(part, other)), None)
        if found is None:
            return False
        left.remove(found)
    return not left


def _same_part(a: Part, b: Part) -> bool:
    closed = (a.low_closed, a.high_closed) == (b.low_closed, b.high_closed)
    return closed and equal(a.low, b.low) and equal(a.high, b.high)


def _minus(whole: list[Part] | None, without: list[Part] | None) -> list[Part] | None:
    if whole is None or without is None:
        return None
    for point in without:
        if point.low != point.high or has_infinity(point.low):
            return None
        cut: list[Part] = []
        for part in whole:
            if less(part.low, point.low) and less(point.low, part.high):
                cut.append(Part(part.low, point.low, part.low_closed, False))
                cut.append(Part(point.low, part.high, False, part.high_closed))
            else:
                cut.append(part)
        whole = cut
    return whole


def _solution(relation: Relation) -> list[Part] | None:
    """The solutions of `x < b`, `a < x`, `a < x < b` and `x != a`, the relation being in rising order."""
    match relation:
        case Relation((Quantity(Sym(), ""), Quantity(bound, "")), ("!=",)) if not symbols(bound):
            low = Fn("neg", (INFINITY,))
            return [Part(low, bound, False, False), Part(bound, INFINITY, False, False)]
        case Relation((Quantity(Sym(), ""), Quantity(high, "")), ("<" | "<=" as op,)) if not symbols(high):
            return [Part(Fn("neg", (INFINITY,)), high, False, op == "<=")]
        case Relation((Quantity(low, ""), Quantity(Sym(), "")), ("<" | "<=" as op,)) if not symbols(low):
            return [Part(low, INFINITY, op == "<=", False)]
        case Relation(
            (Quantity(low, ""), Quantity(Sym(), ""), Quantity(high, "")), ("<" | "<=" as first, "<" | "<=" as second)
        ) if not symbols(low) and not symbols(high):
            return [Part(low, high, first == "<=" and low != _LOWEST, second == "<=" and high != INFINITY)]
    return None


_LOWEST = Fn("neg", (INFINITY,))


def _rising(relation: Relation) -> Relation:
    """Turn a falling chain around, so that it reads `a < b < c`."""
    if all(op in (">", ">=") for op in relation.ops):
        return Relation(relation.sides[::-1], tuple(_FLIPPED[op] for op in reversed(relation.ops)))
    return relation


def _same_two_sided(gold: Relation, answer: Relation) -> bool:
    """`2x + 2 = 4` and `x - 1 = 0`: one side minus the other is the same up to a factor, positive for inequalities."""
    gold, answer = _rising(gold), _rising(answer)
    if gold.ops != answer.ops:
        return False
    sides = (*gold.sides, *answer.sides)
    if not all(isinstance(side, Quantity) and not side.unit and not has_infinity(side.value) for side in sides):
        return False
    a, b, c, d = (side.value for side in sides if isinstance(side, Quantity))
    factor = ratio(Fn("add", (c, Fn("neg", (d,)))), Fn("add", (a, Fn("neg", (b,)))))
    return factor > 0 if gold.ops[0] in ("<", "<=") else factor != 0


def _is_name(side: Answer) -> bool:
    """Whether a side only names what is asked for: `x`, `f(2)`, `m + n`, `\\angle ABC`, "Area", `(x, y)`."""
    match side:
        case Text():
            return True
        case Quantity(value, ""):
            return _names_only(value)
        case Quantity(_, unit):  # 7^5 mod 11 = 10
            return unit.startswith("mod ")
        case Bracketed(_, _, items):
            return all(_is_name(item) for item in items)
    return False


def _names_only(value: Expr) -> bool:
    match value:
        case Sym() | Call():
            return True
        case Fn(name, args):
            return name in _NAMING and all(_names_only(arg) for arg in args)
    return False


def _is_rounding(exact: Answer, rounded: Answer) -> bool:
    """Whether a decimal is the exact value, rounded or cut at its last place."""
    match exact, rounded:
        case Quantity(value), Quantity(Num(number)):
            places = next((places for places in range(30) if (number * 10**places).denominator == 1), None)
            if places is None or symbols(value):
                return False
            step = Fraction(1, 10**places)
            return less(Num(number - step), value) and less(value, Num(number + step))
    return False


def _symbols(relation: Relation) -> frozenset[str]:
    found: frozenset[str] = frozenset()
    for side in relation.sides:
        items = side.items if isinstance(side, Bracketed) else (side,)
        found |= frozenset().union(*(symbols(item.value) for item in items if isinstance(item, Quantity)))
    return found
