"""Reads what `rlpt.sandbox.inside.encode` wrote: results of calls, as values again. Nothing is evaluated."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from rlpt.sandbox.inside import encode
from rlpt.sandbox.protocol import CallResult, Opaque

LONGEST_INT = 4000
"""Digits of a number in decimal; longer ones are sent in hexadecimal, which is read in linear time."""


class NoResultError(ValueError):
    """A line that is no result: the program wrote it itself, or was ended while it was written."""


FORGED = "it wrote to the descriptor of its results"
EQUALS_ALL = "its result equals everything"


@dataclass(frozen=True, slots=True)
class Results:
    """What came over the results' descriptor. `out_of_memory`: the interpreter met its limit; `signs`: of cheating."""

    results: tuple[CallResult, ...]
    out_of_memory: bool = False
    signs: tuple[str, ...] = ()


def read_results(text: bytes, mark: str) -> Results:
    """Read the results. Reading ends at the first line that is none, so that no result counts for another call."""
    results: list[CallResult] = []
    signs: list[str] = []
    out_of_memory = False
    for line in text.split(b"\n")[1:-1]:
        try:
            match _parse(line):
                case ["memory"]:
                    out_of_memory = True
                    break
                case [str(given), "done" | "raised"] if given == mark:
                    break  # of a piece, whose result is what it prints
                case [str(given), "returned", content, bool(equals_all)] if given == mark:
                    results.append(CallResult(True, decode(content)))
                    signs += [EQUALS_ALL] if equals_all else []
                case [str(given), "raised", str(error)] if given == mark:
                    results.append(CallResult(False, error=" ".join(error.split())[:200]))
                case _:
                    raise NoResultError
        except (ValueError, TypeError, RecursionError, MemoryError):
            signs += [] if line.startswith(f'["{mark}"'.encode()) else [FORGED]
            break
    return Results(tuple(results), out_of_memory, tuple(dict.fromkeys(signs)))


def decode(encoded: Any) -> Any:  # noqa: ANN401
    """Return the value, `Opaque` for what is none. Raises as `rlpt.sandbox.inside.encode.decode` does."""
    return encode.decode(encoded, lambda kind: Opaque(str(kind)[:100]))


def _parse(line: bytes) -> Any:  # noqa: ANN401
    return json.loads(line, parse_int=_int)


def _int(digits: str) -> int:
    if len(digits) > LONGEST_INT:
        raise NoResultError
    return int(digits)
