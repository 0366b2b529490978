"""Reads what `rlpt.sandbox.inside.encode` wrote: results of calls, as values again. Nothing is evaluated."""

from __future__ import annotations

import json
from typing import Any

from rlpt.sandbox.protocol import CallResult, Opaque

LONGEST_INT = 4000
"""Digits of a number in decimal; longer ones are sent in hexadecimal, which is read in linear time."""


class NoResultError(ValueError):
    """A line that is no result: the program wrote it itself, or was ended while it was written."""


def read_results(text: bytes) -> tuple[tuple[CallResult, ...], bool]:
    """Return the results that stand in what came over the results' descriptor, and whether memory ran out.

    Reading ends at the first line that is none.
    """
    results: list[CallResult] = []
    for line in text.split(b"\n")[1:-1]:
        try:
            kind, content = [*_parse(line), None][:2]
            if kind == "memory":
                return tuple(results), True
            results.append(_result(kind, content))
        except (ValueError, TypeError, RecursionError, MemoryError):
            break
    return tuple(results), False


def _result(kind: object, content: Any) -> CallResult:  # noqa: ANN401
    if kind == "returned":
        return CallResult(True, decode(content))
    if kind == "raised" and isinstance(content, str):
        return CallResult(False, error=" ".join(content.split())[:200])
    raise NoResultError


def decode(encoded: Any) -> Any:  # noqa: ANN401
    """Return the value. Raises NoResultError, TypeError or RecursionError for what is no encoded value."""
    if not isinstance(encoded, list):
        if isinstance(encoded, dict):
            raise NoResultError
        return encoded
    kind, content = encoded
    if kind == "opaque":
        return Opaque(str(content)[:100])
    if kind == "int":
        return int(content, 16)
    if kind == "bytes":
        return bytes.fromhex(content)
    if kind == "dict":
        return {decode(key): decode(item) for key, item in content}
    collections: dict[object, type] = {"list": list, "tuple": tuple, "set": set, "frozenset": frozenset}
    if kind not in collections or not isinstance(content, list):
        raise NoResultError
    return collections[kind](decode(item) for item in content)


def _parse(line: bytes) -> Any:  # noqa: ANN401
    return json.loads(line, parse_int=_int)


def _int(digits: str) -> int:
    if len(digits) > LONGEST_INT:
        raise NoResultError
    return int(digits)
