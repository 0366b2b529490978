r"""Reads a whole answer: lists, sets, points, intervals, relations, ratios, matrices, quantities with units, words.

`read` uses up every token or raises UnreadableError: no part of an answer is ever dropped.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction

from rlpt.verifiers.algebra.clean import clean
from rlpt.verifiers.algebra.cursor import bounded, closing, operators, split
from rlpt.verifiers.algebra.nodes import (
    Answer,
    Bracketed,
    Dots,
    Expr,
    Listing,
    Matrix,
    Num,
    Quantity,
    Ratio,
    Relation,
    Relator,
    Sym,
    Text,
    Union,
    UnreadableError,
)
from rlpt.verifiers.algebra.numerals import based
from rlpt.verifiers.algebra.quantities import expression, quantity
from rlpt.verifiers.algebra.tokens import Token, tokenize

MAX_LENGTH = 4_000
"""Characters of an answer. What is longer is no answer."""

_RELATORS: dict[str, Relator] = {"=": "=", "~": "~", "<": "<", "<=": "<=", ">": ">", ">=": ">=", "!=": "!="}
_PLAIN_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
_PLAIN_FRACTION = re.compile(r"(-?)(?:\\frac\{(-?\d+)\}\{(\d+)\}|(\d+)/(\d+))")
_WORDS = re.compile(r"[^\W\d_](?:[^\W\d_]|[\s\-'.,()!?&\"/])*")
_WRAPPER = re.compile(r"\\(?:text[a-z]*|mbox|hbox|mathrm|mathbf|mathit|operatorname)\s*\{([^{}]*)\}")
_MATRICES = ("pmatrix", "bmatrix", "Bmatrix", "matrix", "smallmatrix", "array")
_CLOSERS = {
    "(": (")", "]"),
    "[": (")", "]"),
    "{": ("}",),
    "set": ("set",),
    "<": (">",),
    "floor": ("floor",),
    "ceil": ("ceil",),
}


def read(text: str) -> Answer:
    """Read one answer. Raises UnreadableError where the text, or any part of it, is no answer."""
    if len(text) > MAX_LENGTH:
        raise UnreadableError(f"longer than {MAX_LENGTH} characters")
    cleaned = clean(text)
    if not cleaned:
        raise UnreadableError("empty")
    number = _plain_number(cleaned)
    if number is not None:
        return Quantity(Num(number))
    try:
        answer = _listing(bounded(tokenize(cleaned)))
    except UnreadableError:
        words = words_of(cleaned)
        if words is None:
            raise
        return Text(words)
    if isinstance(answer, Dots):
        raise UnreadableError("an ellipsis alone")
    return answer


def words_of(text: str) -> str | None:
    """Return the words of a text that holds nothing else, lower case and single-spaced; None where it does."""
    bare = _WRAPPER.sub(r" \1 ", text).strip().strip("(.")
    if not _WORDS.fullmatch(bare):
        return None
    return " ".join(re.findall(r"[^\W\d_]+", bare.lower().replace("'", "")))


def _plain_number(text: str) -> Fraction | None:
    """The quick way for what most answers are."""
    if _PLAIN_NUMBER.fullmatch(text):
        return Fraction(text)
    match = _PLAIN_FRACTION.fullmatch(text)
    if match is None:
        return None
    top, bottom = int(match[2] or match[4]), int(match[3] or match[5])
    return None if bottom == 0 else Fraction(-top if match[1] else top, bottom)


def _listing(tokens: Sequence[Token]) -> Answer:
    """listing := item ((',' | ';' | 'and' | 'or') item)*"""
    tokens = _without_braces(tokens)
    parts, separators = split(tokens, operators(",", ";", "and", "or"))
    if len(parts) == 1:
        return _item(parts[0])
    items = []
    for index, part in enumerate(parts):
        if part:
            items.append(_item(part))
        elif not (0 < index < len(parts) - 1 and separators[index] in ("and", "or")):  # "1, 2, and 3"
            raise UnreadableError("an empty place in a list")
    if all(isinstance(item, Text) for item in items):
        raise UnreadableError("words")
    return Listing(tuple(_without_names(items)), union="or" in separators)


def _without_names(items: list[Answer]) -> list[Answer]:
    """`n = 1, 2, 3` and `x = 1 or x = 2` are lists of values of one variable."""
    names = [_name(item) for item in items]
    if names[0] is None or not isinstance(items[0], Relation):
        return items
    if all(name is None and not isinstance(item, Relation) for name, item in zip(names[1:], items[1:], strict=True)):
        return [items[0].sides[1], *items[1:]]
    if len(set(names)) == 1:
        return [item.sides[1] for item in items if isinstance(item, Relation)]
    return items


def _name(item: Answer) -> Expr | None:
    """The variable of `variable = value`."""
    if isinstance(item, Relation) and item.ops == ("=",) and isinstance(item.sides[0], Quantity):
        value = item.sides[0].value
        return value if isinstance(value, Sym) else None
    return None


def _item(tokens: Sequence[Token]) -> Answer:
    """item := [variable 'in'] side (relator side)*"""
    parts, _ = split(tokens, operators("in"))
    if len(parts) == 2:
        return _item(parts[1])
    sides, ops = split(tokens, operators(*_RELATORS))
    if len(sides) == 1:
        return _side(sides[0])
    return Relation(tuple(_side(side) for side in sides), tuple(_RELATORS[op] for op in ops))


def _side(tokens: Sequence[Token]) -> Answer:
    if not tokens:
        raise UnreadableError("a side of a relation is empty")
    parts, _ = split(tokens, operators("cup"))
    if len(parts) > 1:
        return Union(tuple(_side(part) for part in parts))
    parts, _ = split(tokens, operators("setminus"))
    if len(parts) == 2:
        return Bracketed("minus", "", (_side(parts[0]), _side(parts[1])))
    parts, _ = split(tokens, operators(":"))
    if len(parts) > 1:
        return _ratio(parts)
    if len(tokens) == 1 and tokens[0].kind == "dots":
        return Dots()
    if all(token.kind == "text" for token in tokens):
        words = words_of(" ".join(token.text for token in tokens))
        if words is not None:
            return Text(words)
    return based(tokens) or _bracketed(tokens) or quantity(tokens)


def _ratio(parts: Sequence[Sequence[Token]]) -> Answer:
    last, half = list(parts[-1]), ""
    if len(last) == 2 and last[1].text.lower() in ("am", "pm"):
        half = last.pop().text.lower()
    texts = [part[0].text if len(part) == 1 else "" for part in (*parts[:-1], last)]
    clock = texts[0].isdigit() and int(texts[0]) <= 24 and all(re.fullmatch(r"[0-5]\d", text) for text in texts[1:])
    if half and not clock:
        raise UnreadableError("half of a day without a time")
    items = tuple(_side(part) for part in (*parts[:-1], last))
    if not all(isinstance(item, Quantity | Dots) for item in items):
        raise UnreadableError("a ratio of other things than numbers")
    return Ratio(items, clock, half)


def _bracketed(tokens: Sequence[Token]) -> Answer | None:
    """A matrix, a set, a point or an interval: one pair of brackets around the whole."""
    first, last = tokens[0], tokens[-1]
    if first.kind != "open" or closing(tokens) != len(tokens) - 1:
        return None
    if not first.text.startswith("begin ") and last.text not in _CLOSERS.get(first.text, ""):
        raise UnreadableError(f"{first.text!r} is closed by {last.text!r}")
    inside = tokens[1:-1]
    if first.text.startswith("begin "):
        return _matrix(first.text.removeprefix("begin "), inside)
    parts, _ = split(inside, operators(",", ";"))
    if first.text == "set":
        return Listing(tuple(_item(part) for part in parts) if inside else (), braces=True)
    if len(parts) > 1 and first.text in ("(", "[", "<"):
        return Bracketed(first.text, last.text, tuple(_item(part) for part in parts))
    if inside and inside[0].text.startswith("begin ") and closing(inside) == len(inside) - 1:
        return _bracketed(inside)
    return _listing(inside) if first.text == "{" else None


def _matrix(environment: str, tokens: Sequence[Token]) -> Answer:
    if environment not in _MATRICES:
        raise UnreadableError(f"environment {environment}")
    if environment == "array" and tokens and tokens[0].text == "{":
        tokens = tokens[closing(tokens) + 1 :]
    rows, _ = split(tokens, lambda token: token.kind == "row")
    if rows and not rows[-1]:
        rows.pop()
    cells = [split(row, operators("&"))[0] for row in rows]
    if not cells or len({len(row) for row in cells}) != 1:
        raise UnreadableError("a matrix with rows of different length")
    return Matrix(tuple(tuple(expression(cell) for cell in row) for row in cells))


def _without_braces(tokens: Sequence[Token]) -> Sequence[Token]:
    while len(tokens) > 2 and tokens[0].text == "{" and closing(tokens) == len(tokens) - 1:
        tokens = tokens[1:-1]
    return tokens
