"""Reads what is written as one number: decimals, mixed numbers, repeating decimals, numbers in a base."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from rlpt.verifiers.algebra.cursor import Cursor
from rlpt.verifiers.algebra.nodes import Based, UnreadableError
from rlpt.verifiers.algebra.tokens import Token

MAX_EXPONENT = 4_000
"""Of a literal in scientific notation; larger ones are no answers."""

_BASES = {"two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10}


def literal(text: str) -> Fraction:
    """The exact value of a decimal literal. Raises UnreadableError where it is larger than any answer is."""
    exponent = text.lower().partition("e")[2]
    if len(text) > MAX_EXPONENT or (exponent and (len(exponent) > 6 or abs(int(exponent)) > MAX_EXPONENT)):
        raise UnreadableError("a number too large for an answer")
    return Fraction(text.rstrip("."))


def number(cursor: Cursor, token: Token) -> Fraction:
    """The number that begins with `token`, which has been taken."""
    value = literal(token.text)
    if token.text.isdigit():
        fraction = _mixed_part(cursor)
        if fraction is not None:
            return value + fraction
    if cursor.peek().kind == "num":
        raise UnreadableError(f"two numbers side by side: {token.text} {cursor.peek().text}")
    if cursor.accept("cmd", "overline"):
        return value + _repeating(cursor, token.text)
    if cursor.peek().kind == "op" and cursor.peek().text == "_":
        raise UnreadableError("a number with an index")
    return value


def based(tokens: Sequence[Token]) -> Based | None:
    r"""`204_5`, `1A_{16}`, `204_{\text{five}}`; None for anything else."""
    texts = [token.text for token in tokens]
    if "_" not in texts or tokens[0].kind != "num":
        return None
    at = texts.index("_")
    digits, base = "".join(texts[:at]), "".join(texts[at + 1 :]).strip("{}").removeprefix("base").strip()
    value = int(base) if base.isdecimal() and len(base) <= 2 else _BASES.get(base.lower(), 0)
    if not (digits.isalnum() and 2 <= value <= 36):
        return None
    return Based(digits.upper().lstrip("0") or "0", value)


def _mixed_part(cursor: Cursor) -> Fraction | None:
    r"""The proper fraction of a mixed number: `1/4` after `1 `, `\frac{1}{4}` after `1`."""
    ahead = [cursor.peek(index) for index in range(7)]
    texts = [token.text for token in ahead]
    if ahead[0].kind == "num" and ahead[0].spaced and texts[1] == "/" and ahead[2].kind == "num":
        top, bottom, length = texts[0], texts[2], 3
    elif texts[0] == "frac" and texts[1] == texts[4] == "{" and texts[3] == texts[6] == "}":
        top, bottom, length = texts[2], texts[5], 7
    elif texts[0] == "frac" and ahead[1].kind == "num" and len(texts[1]) == 2:
        top, bottom, length = texts[1][0], texts[1][1], 2
    else:
        return None
    if not (top.isdecimal() and bottom.isdecimal() and 0 <= int(top) < int(bottom)):
        return None
    cursor.position += length
    return Fraction(int(top), int(bottom))


def _repeating(cursor: Cursor, before: str) -> Fraction:
    r"""`0.1\overline{6}`: the value of the repeating digits."""
    cursor.expect("open", "{")
    digits = cursor.take().text
    cursor.expect("close", "}")
    if not digits.isdecimal() or "." not in before or len(digits) > 100:
        raise UnreadableError("an overline over something else than decimals")
    places = len(before.partition(".")[2])
    return Fraction(int(digits), (10 ** len(digits) - 1) * 10**places)
