"""Results cross the border of a sandbox unchanged, and nothing that a program writes there does harm."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rlpt.sandbox.inside.encode import MOST_HASHED, encode
from rlpt.sandbox.protocol import CallResult, Opaque
from rlpt.sandbox.values import EQUALS_ALL, FORGED, Results, decode, read_results

SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text() | st.binary()
KEYS = st.none() | st.booleans() | st.integers() | st.text() | st.binary()
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner)
        | st.lists(inner).map(tuple)
        | st.dictionaries(KEYS, inner)
        | st.sets(KEYS)
        | st.frozensets(KEYS)
    ),
    max_leaves=20,
)


def typed(value: object) -> object:
    """A value with the types of all its parts."""
    if isinstance(value, list | tuple):
        return type(value), [typed(item) for item in value]
    if isinstance(value, dict):
        return dict, [(typed(key), typed(item)) for key, item in value.items()]
    if isinstance(value, set | frozenset):
        return type(value), sorted(map(repr, map(typed, value)))
    return type(value), repr(value)


@given(VALUES)
def test_a_value_comes_back_with_its_types(value: object) -> None:
    assert typed(decode(json.loads(json.dumps(encode(value))))) == typed(value)


@given(st.integers(min_value=10**4299, max_value=10**4400))
def test_long_numbers_come_back(number: int) -> None:
    results = read_results(b"\n" + json.dumps(["m", "returned", encode(number), False]).encode() + b"\n", "m").results
    assert results == (CallResult(True, number),)


@pytest.mark.parametrize("value", [object(), 1j, range(3), len, int, ...])
def test_anything_else_is_opaque(value: object) -> None:
    assert decode(encode(value)) == Opaque(type(value).__name__)


@given(st.binary())
def test_nonsense_is_no_result(text: bytes) -> None:
    read_results(text, "m")
    assert read_results(b'\n["m", "returned", 1, false]\n' + text, "m").results[:1] == (CallResult(True, 1),)


@pytest.mark.parametrize(
    "line",
    [
        b'["m", "returned"',
        b'["m", "returned", {"a": 1}, false]',
        b'["m", "returned", ["list"], false]',
        b'["m", "returned", ["list", 1], false]',
        b'["m", "returned", ["other", []], false]',
        b'["m", "returned", ["dict", [[["list", []], 1]]], false]',
        b'["m", "returned", ["int", "zz"], false]',
        b'["m", "returned", ["bytes", "zz"], false]',
        b'["m", "returned", ' + b"9" * 5000 + b", false]",
        b'["m", "returned", ' + b'["list", [' * 20_000,
        b'["m", "returned", 1]',
        b'["m", "returned", 1, 1]',
        b'["m", "raised", 1]',
    ],
)
def test_reading_ends_at_the_first_line_that_is_none(line: bytes) -> None:
    """What follows would count for another call."""
    found = read_results(b'\n["m", "returned", 1, false]\n' + line + b'\n["m", "returned", 2, false]\n', "m")
    assert found == Results((CallResult(True, 1),))


@pytest.mark.parametrize(
    "line",
    [
        b"{}",
        b"[]",
        b"1",
        b"",
        b"\xff\xfe",
        b'["returned", 1, false]',
        b'["n", "returned", 1, false]',
        b'[["m"], "returned", 1, false]',
        b'["memory", 1]',
        b'x["m", "returned", 1, false]',
    ],
)
def test_a_line_without_the_mark_is_the_programs_own(line: bytes) -> None:
    found = read_results(b'\n["m", "returned", 1, false]\n' + line + b'\n["m", "returned", 2, false]\n', "m")
    assert found == Results((CallResult(True, 1),), signs=(FORGED,))


def test_a_result_that_equals_everything_is_told_once() -> None:
    line = b'["m", "returned", ["opaque", "E"], true]\n'
    assert read_results(b"\n" + line * 2, "m") == Results((CallResult(True, Opaque("E")),) * 2, signs=(EQUALS_ALL,))


def test_a_line_that_was_cut_does_not_count() -> None:
    assert read_results(b'\n["m", "returned", 1, false]\n["m", "returned", 2', "m").results == (CallResult(True, 1),)
    assert read_results(b"", "m") == Results(())
    assert read_results(b'\n["memory"]\n', "m") == Results((), out_of_memory=True)


def test_hashes_that_are_chosen_to_be_alike_cost_no_time() -> None:
    """A set of them takes time that grows with the square of its size, out here, where no limit holds."""
    alike = [(2**61 - 1) * n for n in range(MOST_HASHED + 1)]
    for encoded in (["set", alike], ["frozenset", alike], ["dict", [[n, 1] for n in alike]]):
        assert isinstance(decode(encoded), Opaque)
    assert decode(["set", alike[:-1]]) == set(alike[:-1])
    words = [str(n) for n in range(5 * MOST_HASHED)]
    assert decode(["set", words]) == set(words)
