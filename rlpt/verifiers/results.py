"""Compares what a program returned or printed with what was expected. Values only: no method of a program runs here."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

ABSOLUTE = 1e-9
"""Two floats this near to each other are equal, whatever their size; what stands beside it is relative."""

PRINTED_TOLERANCE = 1e-6
LARGEST_KEY = 10**1000


def matches(expected: Any, value: Any, tolerance: float) -> bool:  # noqa: ANN401
    """Whether a call's result is the expected JSON value, with the same types: True is not 1, and neither is 1.0.

    Floats may differ by `tolerance`, relative to the larger one, or by 1e-9. As JSON has no tuples and no keys but
    texts, a tuple matches an array, and a key that is a number or a truth value matches the text that JSON makes of it.
    Sets, bytes and everything else match nothing.
    """
    if isinstance(expected, list | tuple):
        return (
            type(value) in (list, tuple)
            and len(value) == len(expected)
            and all(matches(one, other, tolerance) for one, other in zip(expected, value, strict=True))
        )
    if isinstance(expected, Mapping):
        if type(value) is not dict or len(value) != len(expected):
            return False
        found = {_key(key): item for key, item in value.items()}
        wanted = {_key(key): item for key, item in expected.items()}
        return found.keys() == wanted.keys() and all(matches(wanted[key], found[key], tolerance) for key in wanted)
    if type(value) is not type(expected):
        return False
    if isinstance(expected, float):
        both_nan = math.isnan(expected) and math.isnan(value)
        return both_nan or math.isclose(expected, value, rel_tol=tolerance, abs_tol=ABSOLUTE)
    return bool(value == expected)


def _key(key: object) -> object:
    """A key as JSON writes it; one that JSON cannot write stays as it is and equals no text."""
    if key is None or isinstance(key, bool | float) or (isinstance(key, int) and abs(key) < LARGEST_KEY):
        return json.dumps(key)
    return key


def same_output(printed: bytes, expected: str) -> bool:
    """Whether a program printed what it should have, line by line.

    Space at the end of lines and empty lines at the end do not count, CRLF is LF, and a number with a fraction may
    differ by 1e-6, absolutely or relative to the larger one. Everything else is compared letter by letter.
    """
    found, wanted = _lines(printed.decode("utf-8", "replace")), _lines(expected)
    return len(found) == len(wanted) and all(map(_same_line, found, wanted))


def _lines(text: str) -> list[str]:
    lines = [line.rstrip() for line in text.replace("\r\n", "\n").split("\n")]
    while lines and not lines[-1]:
        lines.pop()
    return lines


def _same_line(found: str, wanted: str) -> bool:
    if found == wanted:
        return True
    words, others = found.split(" "), wanted.split(" ")
    return len(words) == len(others) and all(map(_same_word, words, others))


def _same_word(found: str, wanted: str) -> bool:
    if found == wanted:
        return True
    number, other = _fraction(found), _fraction(wanted)
    if number is None or other is None:
        return False
    return math.isclose(number, other, rel_tol=PRINTED_TOLERANCE, abs_tol=PRINTED_TOLERANCE)


def _fraction(word: str) -> float | None:
    """The number that a word writes with a fraction; None for all else, whole numbers too."""
    if "." not in word or not set(word) <= set("0123456789.eE+-"):
        return None
    try:
        return float(word)
    except ValueError:
        return None
