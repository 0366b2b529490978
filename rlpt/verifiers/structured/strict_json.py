"""Reads JSON strictly (RFC 8259), and says when two values are the same.

Refused beyond what is no JSON at all: NaN and Infinity, a key that occurs twice in an object, numbers beyond the range
of a double (1e999, 1e-999, integers of more than 308 digits), lone surrogates, and nesting deeper than `MOST_DEPTH`.
-0 is the number 0. Linear in the text's length.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from typing import Any

MOST_DEPTH = 64
"""Arrays and objects within each other. Keeps whatever walks a value far from Python's recursion limit."""
MOST_DIGITS = 308
"""Of an integer. Every such number converts to a float without overflow."""
MOST_NUMBER_CHARACTERS = 400

# A string that is not closed runs to the end, so that no text is scanned twice.
_STRING_OR_BRACKET = re.compile(r'"(?:[^"\\]++|\\.)*+"?|[\[\]{}]', re.DOTALL)


class JsonError(ValueError):
    """A text that is not one strictly written JSON value, or a value that is none. The message says why."""


def read(text: str) -> Any:  # noqa: ANN401
    """Return the one value that `text` holds, white space around it allowed.

    Raises:
        JsonError: where it holds anything else.
    """
    if _depth(text) > MOST_DEPTH:
        raise JsonError(f"arrays and objects are nested deeper than {MOST_DEPTH}")
    try:
        value = _DECODER.decode(text)
    except json.JSONDecodeError as error:
        raise JsonError(f"no JSON value: {error}") from None
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise JsonError("a string holds half of a surrogate pair") from None
    return value


def plain(value: object) -> Any:  # noqa: ANN401
    """Return a copy of a value as JSON would give it back: tuples are lists.

    Raises:
        JsonError: for what no text that `read` takes could stand for.
    """
    try:
        text = json.dumps(value, allow_nan=False, default=_mapping)
    except (TypeError, ValueError, RecursionError) as error:
        raise JsonError(f"no JSON value: {error}") from None
    return read(text)


def same(one: object, other: object) -> bool:
    """Whether two JSON values are the same: 1, 1.0 and true are three values; the order of keys does not count."""
    if type(one) is not type(other):
        return False
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(value, other[key]) for key, value in one.items())
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    return one == other


def _mapping(value: object) -> dict[Any, Any]:
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"{type(value).__name__} is none")


def _depth(text: str) -> int:
    deepest = depth = 0
    for match in _STRING_OR_BRACKET.finditer(text):
        if match[0] in "[{":
            depth += 1
            deepest = max(deepest, depth)
        elif match[0] in "]}":
            depth -= 1
    return deepest


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise JsonError("a key occurs twice in one object")
    return value


def _integer(text: str) -> int:
    if len(text.lstrip("-")) > MOST_DIGITS:
        raise JsonError(f"an integer has more than {MOST_DIGITS} digits")
    return int(text)


def _float(text: str) -> float:
    if len(text) > MOST_NUMBER_CHARACTERS:
        raise JsonError(f"a number has more than {MOST_NUMBER_CHARACTERS} characters")
    value = float(text)
    underflows = value == 0 and re.match(r"-?[0.]*[1-9]", text)
    if math.isinf(value) or underflows:
        raise JsonError(f"the number {text[:40]} is beyond the range of a double")
    return value


def _constant(text: str) -> float:
    raise JsonError(f"{text} is no JSON number")


_DECODER = json.JSONDecoder(object_pairs_hook=_object, parse_int=_integer, parse_float=_float, parse_constant=_constant)
