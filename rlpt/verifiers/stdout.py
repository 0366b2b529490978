"""Comparing what a program printed with what it should have printed."""

from __future__ import annotations

import math

TOLERANCE = 1e-6


def same_output(printed: bytes, expected: str) -> bool:
    """Line by line; trailing space and trailing empty lines do not count, CRLF is LF, numbers agree within 1e-6."""
    got = _lines(printed.decode("utf-8", "replace"))
    want = _lines(expected)
    return len(got) == len(want) and all(map(_same_line, got, want))


def _lines(text: str) -> list[str]:
    return "\n".join(line.rstrip() for line in text.replace("\r\n", "\n").split("\n")).rstrip("\n").split("\n")


def _same_line(got: str, want: str) -> bool:
    if got == want:
        return True
    got_words, want_words = got.split(" "), want.split(" ")
    return len(got_words) == len(want_words) and all(map(_same_word, got_words, want_words))


def _same_word(got: str, want: str) -> bool:
    if got == want:
        return True
    # Only fractions are compared by value: an integer printed as a float, or the reverse, is another answer.
    if not (_is_fraction(got) and _is_fraction(want)):
        return False
    return math.isclose(float(got), float(want), rel_tol=TOLERANCE, abs_tol=TOLERANCE)


def _is_fraction(word: str) -> bool:
    try:
        value = float(word)
    except ValueError:
        return False
    return "." in word and "_" not in word and math.isfinite(value)
