"""Comparisons of an answer with the right one, for generators whose own scorer is not safe or too generous.

Each is a function of the answer and the right answer, linear in their length. What cannot be read is not equal.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from fractions import Fraction

Comparison = Callable[[str, str], bool]

_DECIMAL = re.compile(r"([+-]?)(\d++(?:,\d{3})*+)?(?:\.(\d*))?(?:[eE]([+-]?\d{1,3}))?", re.ASCII)
_FRACTION = re.compile(r"([+-]?\d{1,100})\s*/\s*(\d{1,100})", re.ASCII)
MAX_DIGITS = 100


def text(answer: str, gold: str) -> bool:
    """The same words in the same lines; white space around and between them may differ."""
    return _lines(answer) == _lines(gold)


def caseless(answer: str, gold: str) -> bool:
    """As `text`, capital letters like small ones."""
    return text(answer.casefold(), gold.casefold())


def compact(answer: str, gold: str) -> bool:
    """The same characters, white space left out. Only for texts in which that parts nothing."""
    return "".join(answer.split()) == "".join(gold.split())


def number(answer: str, gold: str) -> bool:
    """The same number: `1,000` is `1000.0`, and `1/4` is `0.25`."""
    left, right = value(answer), value(gold)
    return left is not None and left == right


def near(relative: str) -> Comparison:
    """As `number`, but for a difference of at most `relative` times the right one."""
    tolerance = Fraction(relative)

    def compare(answer: str, gold: str) -> bool:
        left, right = value(answer), value(gold)
        return left is not None and right is not None and abs(left - right) <= tolerance * abs(right)

    return compare


def numbers(answer: str, gold: str) -> bool:
    """The same numbers, separated by commas, in any order."""
    left, right = _values(answer.split(",")), _values(gold.split(","))
    return left is not None and right is not None and sorted(left) == sorted(right)


def grid(answer: str, gold: str) -> bool:
    """The same numbers in the same rows."""
    left, right = ([_values(line.split()) for line in each.strip().splitlines()] for each in (answer, gold))
    return None not in left and left == right


def listing(answer: str, gold: str) -> bool:
    """The same items in the same order, separated by commas, with or without brackets and quotes."""
    return _items(answer) == _items(gold)


def value(written: str) -> Fraction | None:
    """Return the number that a text is as a whole, or None."""
    written = written.strip()
    if fraction := _FRACTION.fullmatch(written):
        return Fraction(int(fraction[1]), int(fraction[2])) if int(fraction[2]) else None
    match = _DECIMAL.fullmatch(written) if len(written) <= MAX_DIGITS else None
    if match is None or not (match[2] or match[3]):
        return None
    digits, exponent = (match[2] or "").replace(",", "") + (match[3] or ""), int(match[4] or 0)
    return Fraction(int(match[1] + digits)) * Fraction(10) ** (exponent - len(match[3] or ""))


def _values(written: list[str]) -> list[Fraction] | None:
    found = [value(each) for each in written]
    known = [each for each in found if each is not None]
    return known if len(known) == len(found) else None


def _items(written: str) -> list[str]:
    return [item.strip().strip("\"'") for item in written.strip().removeprefix("[").removesuffix("]").split(",")]


def _lines(written: str) -> list[list[str]]:
    return [line.split() for line in written.strip().splitlines()]
