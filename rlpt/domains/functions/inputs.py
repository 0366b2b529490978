"""Inputs that tell functions apart: many for a function's meaning, few but telling ones for its hidden calls."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import product

from rlpt.domains.functions.function import Args, Function

Signature = tuple[str, ...]

TEXTS = (
    "", "a", "Z", "ab", "ba", "hello", "Hello", "HELLO", "hello world", "level", "Noon", "banana", "The End", "a b c",
    "  pad ", "x1y2", "2024", "apple", "eraser", "tomato", "street", "kiwi", "Sun", "python", "mississippi", "?!",
    "one two three four", "queen", "zebra", "umbrella", "go go go", "AbC", "deed", "it's", "end.", "racecar",
    "aaa", "bob", "civic", "sos", "east", "note", "ten", "tie", "ewe", "stats", "oboe", "bulb", "rotor", "ooo",
)  # fmt: skip
LISTS: tuple[list[int], ...] = (
    [], [0], [1], [-1], [5], [7, 7], [1, 2], [2, 1], [1, 2, 3], [3, 2, 1], [4, 4, 4, 4], [-3, 0, 3], [10, -10, 5],
    [2, 4, 6, 8], [1, 3, 5, 7, 9], [100, 50, 25], [-5, -2, -9], [0, 0, 1], [8, 3, 8, 1, 3], [6, 12, 18, 24, 30, 36],
    [9, 7, 5, 3, 1, -1], [15, 20, 11, 14], [1, 1, 2, 3, 5, 8, 13], [-1, -1], [30, 2], [4, 9, 16, 25],
    [11, 22, 33], [17, 19], [12, 0, -12], [3, 6, 9, 10],
)  # fmt: skip
PAIRS = tuple(product((-17, -4, -1, 0, 1, 2, 3, 5, 7, 8, 10, 12, 13, 20, 41), repeat=2))
TRIPLES = tuple(product((-6, -1, 0, 1, 2, 3, 4, 9), repeat=3))

MEANING: Mapping[Signature, Sequence[Args]] = {
    ("int",): [(x,) for x in range(-60, 61)],
    ("int", "int"): [*PAIRS, *((x, y) for x in range(-3, 31) for y in (x, x + 1, 6))],
    ("int", "int", "int"): TRIPLES,
    ("str",): [(text,) for text in TEXTS] + [("abcdefghijklmno"[:n],) for n in range(16)],
    ("list",): [(numbers,) for numbers in LISTS] + [(list(range(n)),) for n in range(16)] + [([n],) for n in range(50)],
}
"""Inputs that define a function's meaning, by signature: the same on all of these is the same function."""

HIDDEN: Mapping[Signature, Sequence[Args]] = {
    ("int",): [(0,), (1,), (-1,), (7,), (-12,), (30,), (101,)],
    ("int", "int"): [(0, 0), (3, 5), (5, 3), (-4, 7), (8, -3), (-2, -9), (6, 6), (12, 1)],
    ("int", "int", "int"): [(0, 0, 0), (1, 2, 3), (3, 1, 2), (2, 3, 1), (-4, 5, -6), (7, 7, 2), (9, -1, 4), (2, 8, 8)],
    ("str",): [("",), ("a",), ("hello",), ("Hello World",), ("banana",), ("a b c",), ("level",), (" pad ",)],
    ("list",): [([],), ([4],), ([3, 1, 2],), ([-5, 0, 5],), ([2, 2, 7, 2],), ([10, 9, 8, 7, 6],), ([1, 2, 3, 4],)],
}
"""Inputs of every function's hidden calls, by signature."""


def hidden_inputs(function: Function) -> list[Args]:
    """Inputs for hidden calls: those around the function's constants, then the general ones. No input twice."""
    found: list[Args] = []
    for args in [*_around(function), *HIDDEN[function.signature]]:
        if args not in found:
            found.append(args)
    return found


def _around(function: Function) -> Iterable[Args]:
    numbers = [constant for constant in function.constants if isinstance(constant, int)]
    texts = [constant for constant in function.constants if isinstance(constant, str)]
    match function.signature:
        case ("int",):
            for n in numbers:
                yield from ((n,), (n - 1,), (n + 1,), (-n,), (2 * n,))
        case ("int", "int"):
            for n in numbers:
                yield from ((n, 0), (0, n), (n + 1, 0), (n, n), (1, n - 1), (-n, 2), (n + 1, n + 1), (n, n + 1))
        case ("str",):
            for n in numbers:
                yield from (("abcdefghijklmnopqrstuvwxyz"[:length],) for length in (n, n - 1, n + 1))
            for text in texts:
                yield from ((text,), (text + "est",), ("ing" + text,), (text.upper() + "ox" + text,))
        case ("list",):
            for n in numbers:
                yield from (([n],), ([n - 1, n, n + 1],), ([n, n, -n],), (list(range(n - 1)),), (list(range(n + 1)),))
