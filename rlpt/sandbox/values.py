"""Values that a program returned, as `inside.py` encodes them, held against values that JSON carries. Strict on types."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

RELATIVE_TOLERANCE = 1e-6
ABSOLUTE_TOLERANCE = 1e-9


def matches(encoded: Any, expected: Any) -> bool:
    """Whether an encoded value is `expected`.

    `True` is not 1, 1.0 is not 1, "1" is not 1. A list is a list or, since JSON knows no tuples, a tuple. Floats are
    equal within a relative 1e-6 or an absolute 1e-9; NaN is NaN. Whatever is malformed matches nothing.
    """
    if expected is None or isinstance(expected, bool | str):
        return type(encoded) is type(expected) and encoded == expected
    if isinstance(expected, int):
        return _integer(encoded) == expected
    if isinstance(expected, float):
        return _same_float(encoded, expected)
    if isinstance(expected, Mapping):
        return _same_mapping(encoded, expected)
    if isinstance(expected, Sequence):
        entries = _tagged(encoded, "list", "tuple")
        return isinstance(entries, list) and len(entries) == len(expected) and all(map(matches, entries, expected))
    return False


def _integer(encoded: Any) -> int | None:
    if type(encoded) is int:
        return encoded
    text = _tagged(encoded, "int")
    try:
        return int(text, 16) if isinstance(text, str) else None
    except ValueError:
        return None


def _same_float(encoded: Any, expected: float) -> bool:
    text = _tagged(encoded, "float")
    try:
        value = float.fromhex(text) if isinstance(text, str) else None
    except (ValueError, OverflowError):
        return False
    if value is None:
        return False
    if math.isnan(expected):
        return math.isnan(value)
    return math.isclose(value, expected, rel_tol=RELATIVE_TOLERANCE, abs_tol=ABSOLUTE_TOLERANCE)


def _same_mapping(encoded: Any, expected: Mapping[Any, Any]) -> bool:
    pairs = _tagged(encoded, "dict")
    if not isinstance(pairs, list) or len(pairs) != len(expected):
        return False
    # JSON's keys are strings; a program that keeps others has not returned what was asked for.
    found = {pair[0]: pair[1] for pair in pairs if isinstance(pair, list) and len(pair) == 2 and type(pair[0]) is str}
    return len(found) == len(expected) and all(
        key in found and matches(found[key], value) for key, value in expected.items()
    )


def _tagged(encoded: Any, *tags: str) -> Any:
    if isinstance(encoded, list) and len(encoded) == 2 and encoded[0] in tags:
        return encoded[1]
    return None
