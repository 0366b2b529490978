"""Decides whether an answer is the expected one: which forms may stand for which.

Strict where a form carries meaning (brackets of intervals, order of points, units, bases), lenient where it does not
(order of a list, the name before "=", a missing unit). What cannot be decided is not the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import product

from rlpt.verifiers.algebra.equality import equal
from rlpt.verifiers.algebra.nodes import (
    Answer,
    Based,
    Bracketed,
    Const,
    Dots,
    Expr,
    Fn,
    Listing,
    Matrix,
    Num,
    Quantity,
    Ratio,
    Relation,
    Sym,
    Text,
)
from rlpt.verifiers.algebra.relations import as_set, equivalent, same_parts, values
from rlpt.verifiers.algebra.units import PERCENT, compatible

MAX_ITEMS = 64
"""Of a list whose order is free; longer ones are compared in order."""

_SYNONYMS = {
    **dict.fromkeys(("all real numbers", "all reals", "real numbers", "all real"), "reals"),
    **dict.fromkeys(("no solutions", "no real solution", "no real solutions"), "no solution"),
    **dict.fromkeys(("dne", "does not exist"), "does not exist"),
}


def same(gold: Answer, answer: Answer) -> bool:
    """Whether `answer` may stand for `gold`."""
    if gold == answer:
        return True
    if isinstance(gold, Relation) and isinstance(answer, Relation):
        return equivalent(gold, answer, same)
    if isinstance(answer, Relation):
        return _same_set(gold, answer) or any(same(gold, value) for value in values(answer, same))
    if isinstance(gold, Relation):
        return _same_set(gold, answer) or any(same(value, answer) for value in values(gold, same)[:1])
    return _same_form(_expanded(gold), _expanded(answer))


def _same_form(gold: Answer, answer: Answer) -> bool:
    match gold, answer:
        case Quantity(), Quantity():
            return _same_quantity(gold, answer)
        case Text(words), Text(others):
            return _SYNONYMS.get(words, words) == _SYNONYMS.get(others, others)
        case (Text(), Quantity()) | (Quantity(), Text()):
            return _letters(gold) == _letters(answer) is not None
        case Listing(items), Listing(others) if _are_named(items) and not any(isinstance(o, Relation) for o in others):
            return not answer.braces and _match_in_order(items, others)  # x = 1, y = 2 is not 2, 1
        case Listing(), Listing():
            return _same_set(gold, answer) or _match_any_order(gold.items, answer.items)
        case Listing((only,), braces=True), _ if not isinstance(answer, Listing) and only != Text("empty set"):
            return same(only, answer)
        case _, Listing((only,), braces=True) if only != Text("empty set"):
            return same(gold, only)
        case Bracketed(), Bracketed():
            return _same_brackets(gold, answer) and _match_in_order(gold.items, answer.items)
        case Bracketed("(", ")", items), Listing(others, braces=False):
            return _match_in_order(items, others) or _same_set(gold, answer)
        case Listing(items, braces=False), Bracketed("(", ")", others):
            return _match_in_order(items, others) or _same_set(gold, answer)
        case Matrix(rows), Matrix(others):
            return [len(row) for row in rows] == [len(row) for row in others] and all(
                equal(a, b) for row, other in zip(rows, others, strict=True) for a, b in zip(row, other, strict=True)
            )
        case (Matrix() as vector, Bracketed() as point) | (Bracketed() as point, Matrix() as vector):
            return _is_vector(vector, point)
    return _same_number_form(gold, answer) or _same_set(gold, answer)


def _same_number_form(gold: Answer, answer: Answer) -> bool:
    match gold, answer:
        case Ratio(), Ratio():
            return _same_ratio(gold, answer)
        case (Ratio((Quantity(a), Quantity(b)), clock=False), Quantity() as other) | (
            Quantity() as other,
            Ratio((Quantity(a), Quantity(b)), clock=False),
        ):
            return same(Quantity(_quotient(a, b)), other)
        case (Based(digits, 10), Quantity() as other) | (Quantity() as other, Based(digits, 10)):
            return same(Quantity(Num(Fraction(digits))), other)
    return False


def _same_quantity(gold: Quantity, answer: Quantity) -> bool:
    if gold.unit == PERCENT or answer.unit == PERCENT:
        return _same_percent(gold, answer)
    if not compatible(gold.unit, answer.unit):
        return False
    if equal(gold.value, answer.value):
        return True
    letters = _letters(gold)
    return letters is not None and len(letters) == 1 and letters == _letters(answer)  # a choice: d and D


def _same_percent(gold: Quantity, answer: Quantity) -> bool:
    """28 % is 28 % and 0.28; the bare number 28 may stand for it. 0.5 % is not 0.5."""
    if gold.unit == answer.unit:
        return equal(gold.value, answer.value)
    if not compatible(gold.unit, answer.unit):
        return False
    percent, bare = (gold, answer) if gold.unit == PERCENT else (answer, gold)
    if equal(_quotient(percent.value, Num(Fraction(100))), bare.value):
        return True
    asked_for = gold is percent or (isinstance(bare.value, Num) and bare.value.value in range(2, 10**6))
    return asked_for and equal(percent.value, bare.value)


def _same_ratio(gold: Ratio, answer: Ratio) -> bool:
    if gold.clock and answer.clock:
        return gold.half in ("", answer.half) and _match_in_order(gold.items, answer.items)
    if gold.half or answer.half or len(gold.items) != len(answer.items):
        return False
    if any(isinstance(item, Dots) for item in (*gold.items, *answer.items)):
        return _match_in_order(gold.items, answer.items)
    pairs = [
        (a.value, b.value)
        for a, b in zip(gold.items, answer.items, strict=True)
        if isinstance(a, Quantity) and isinstance(b, Quantity) and compatible(a.unit, b.unit)
    ]
    first = pairs[0] if len(pairs) == len(gold.items) else None
    return first is not None and all(
        equal(Fn("mul", (first[0], b)), Fn("mul", (first[1], a)))
        and not any(equal(part, Num(Fraction(0))) for part in (a, b))
        for a, b in pairs
    )


def _variable(item: Answer) -> str:
    """The name that a value is given, `x = 1` or `Alice = 1`; empty where it has none."""
    match item:
        case Relation((Quantity(Sym(name), ""), _), ("=",)):
            return name
        case Relation((Text(words), _), ("=",)):
            return words
    return ""


def _are_named(items: Sequence[Answer]) -> bool:
    """Whether these are values of different variables."""
    names = [_variable(item) for item in items]
    return "" not in names and len(set(names)) == len(names) > 1


def _same_brackets(gold: Bracketed, answer: Bracketed) -> bool:
    """Brackets count where they may be an interval's; `<1, 2>` is the vector (1, 2)."""

    def kind(point: Bracketed) -> tuple[str, str]:
        return ("(", ")") if point.left == "<" or len(point.items) > 2 else (point.left, point.right)

    return kind(gold) == kind(answer)


def _is_vector(matrix: Matrix, point: Bracketed) -> bool:
    """A matrix of one column or row is a vector, and so is a point."""
    if point.left not in ("(", "<") or point.right not in (")", ">"):
        return False
    if len(matrix.rows) != 1 and len(matrix.rows[0]) != 1:
        return False
    cells = [Quantity(cell) for row in matrix.rows for cell in row]
    return _match_in_order(cells, point.items)


def _same_set(gold: Answer, answer: Answer) -> bool:
    if isinstance(gold, Quantity) or isinstance(answer, Quantity):
        return False
    left, right = as_set(gold), as_set(answer)
    return left is not None and right is not None and same_parts(left, right)


def _match_in_order(gold: Sequence[Answer], answer: Sequence[Answer]) -> bool:
    return len(gold) == len(answer) and all(map(same, gold, answer))


def _match_any_order(gold: Sequence[Answer], answer: Sequence[Answer]) -> bool:
    if len(gold) != len(answer):
        return False
    if len(gold) > MAX_ITEMS or any(isinstance(item, Dots) for item in gold):
        return _match_in_order(gold, answer)
    left = list(answer)
    for item in gold:
        found = next((index for index, other in enumerate(left) if same(item, other)), None)
        if found is None:
            return False
        del left[found]
    return True


def _letters(answer: Answer) -> str | None:
    """What a text and a product of variables have in common: `\\text{AB}` and `AB`."""
    match answer:
        case Text(words):
            return words.replace(" ", "")
        case Quantity(value, ""):
            parts = value.args if isinstance(value, Fn) and value.name == "mul" else (value,)
            names = [part.name for part in parts if isinstance(part, Sym | Const)]
            return "".join(names).lower() if len(names) == len(parts) else None
    return None


def _quotient(top: Expr, bottom: Expr) -> Expr:
    return Fn("mul", (top, Fn("inv", (bottom,))))


def _expanded(answer: Answer) -> Answer:
    """Write `a ± b` as the list of its values, also inside lists and points."""
    match answer:
        case Quantity(value, unit):
            signs = _expand(value)
            return answer if len(signs) == 1 else Listing(tuple(Quantity(sign, unit) for sign in signs))
        case Listing(items):
            expanded: list[Answer] = []
            for item in items:
                inner = _expanded(item)
                expanded += inner.items if isinstance(inner, Listing) and not inner.braces else [inner]
            return Listing(tuple(expanded), answer.braces, answer.union)
        case Bracketed(left, right, items):
            inners = [_expanded(item) for item in items]
            choices = [inner.items if isinstance(inner, Listing) else (inner,) for inner in inners]
            if sum(len(choice) > 1 for choice in choices) == 1:
                return Listing(tuple(Bracketed(left, right, choice) for choice in product(*choices)))
    return answer


def _expand(value: Expr) -> list[Expr]:
    """The values of an expression with signs ±; signs with a ∓ among them go together, others each for itself."""
    count, together = _count_signs(value)
    if count == 0 or count > 3:
        return [value]
    choices = [(True,) * count, (False,) * count] if together else list(product((True, False), repeat=count))
    return [_with_signs(value, iter(choice)) for choice in choices]


def _count_signs(value: Expr) -> tuple[int, bool]:
    if not isinstance(value, Fn):
        return 0, False
    inner = [_count_signs(arg) for arg in value.args]
    own = value.name in ("pm", "mp")
    return sum(count for count, _ in inner) + own, value.name == "mp" or any(together for _, together in inner)


def _with_signs(value: Expr, plus: Iterator[bool]) -> Expr:
    if not isinstance(value, Fn):
        return value
    if value.name in ("pm", "mp"):
        positive = next(plus) == (value.name == "pm")
        inner = _with_signs(value.args[0], plus)
        return inner if positive else Fn("neg", (inner,))
    return Fn(value.name, tuple(_with_signs(arg, plus) for arg in value.args))
