"""Values as JSON that keeps types apart: arguments on their way in, results on their way out."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

MAX_DEPTH = 100
LONGEST_DECIMAL_BITS = 10_000
MOST_HASHED = 2_000
COLLECTIONS: tuple[tuple[str, type], ...] = (("list", list), ("tuple", tuple), ("set", set), ("frozenset", frozenset))


def encode(value: Any, depth: int = 0) -> Any:  # noqa: ANN401
    """Return None, bool, int, float and str as they are and all else as `[kind, content]`.

    Instances of subclasses become what they extend, by that type's own methods, so that no override takes part; what
    stands for a whole number (`__index__`) becomes one.
    """
    if value is None or value is True or value is False:
        return value
    if depth > MAX_DEPTH:
        return ["opaque", "value nested too deep"]
    try:
        return _encode(value, depth)
    except (TypeError, AttributeError):
        return ["opaque", type(value).__name__[:100]]  # its class lies about what it is


def _encode(value: Any, depth: int) -> Any:  # noqa: ANN401
    if isinstance(value, int):
        number = int.__int__(value)
        return number if number.bit_length() < LONGEST_DECIMAL_BITS else ["int", hex(number)]
    if isinstance(value, float):
        return float.__float__(value)
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, bytes | bytearray):
        return ["bytes", bytes(value).hex()]
    if isinstance(value, dict):
        return ["dict", [[encode(key, depth + 1), encode(item, depth + 1)] for key, item in dict.items(value)]]
    for name, kind in COLLECTIONS:
        if isinstance(value, kind):
            return [name, [encode(item, depth + 1) for item in kind.__iter__(value)]]  # type: ignore[attr-defined]
    if hasattr(type(value), "__index__"):
        return encode(operator.index(value), depth)
    return ["opaque", type(value).__name__[:100]]


def _refuse(kind: object) -> Any:  # noqa: ANN401
    raise ValueError(f"no plain value: {kind}")


def decode(encoded: Any, opaque: Callable[[object], Any] = _refuse) -> Any:  # noqa: ANN401
    """Return the value that `encode` wrote, of exact built-in types. `opaque` makes what stands for other values.

    Raises:
        ValueError, TypeError, RecursionError: for what is no encoded value.
    """
    if not isinstance(encoded, list):
        return _refuse("an object of JSON") if isinstance(encoded, dict) else encoded
    kind, content = encoded
    if kind == "opaque":
        return opaque(content)
    if kind == "int":
        return int(content, 16)
    if kind == "bytes":
        return bytes.fromhex(content)
    if kind in ("set", "frozenset", "dict") and _many(content, kind == "dict"):
        return opaque(f"{kind} of more than {MOST_HASHED} values that are no texts")
    if kind == "dict":
        return {decode(key, opaque): decode(item, opaque) for key, item in content}
    collections = dict(COLLECTIONS)
    if kind not in collections or not isinstance(content, list):
        return _refuse(kind)
    return collections[kind](decode(item, opaque) for item in content)


def _many(content: Any, pairs: bool) -> bool:  # noqa: ANN401
    """Whether a set or dict may hold more hashes that a program has chosen to be alike than can be put together."""
    if len(content) <= MOST_HASHED:
        return False
    return sum(not isinstance(item[0] if pairs else item, str) for item in content) > MOST_HASHED


def equals_all(value: Any) -> bool:  # noqa: ANN401
    """Whether a value claims to equal an object that it cannot know."""
    try:
        return bool(value == object())
    except BaseException:  # the comparison is the program's own
        return False
