"""Results cross the border of a sandbox unchanged, and nothing that a program writes there does harm."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rlpt.sandbox.inside.encode import encode
from rlpt.sandbox.protocol import CallResult, Opaque
from rlpt.sandbox.values import decode, read_results

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
    results, _ = read_results(b"\n" + json.dumps(["returned", encode(number)]).encode() + b"\n")
    assert results == (CallResult(True, number),)


@pytest.mark.parametrize("value", [object(), 1j, range(3), len, int, ...])
def test_anything_else_is_opaque(value: object) -> None:
    assert decode(encode(value)) == Opaque(type(value).__name__)


@given(st.binary())
def test_nonsense_is_no_result(text: bytes) -> None:
    read_results(text)
    results, _ = read_results(b'\n["returned", 1]\n' + text)
    assert results[:1] == (CallResult(True, 1),)


@pytest.mark.parametrize(
    "line",
    [
        b"{}",
        b"[]",
        b"1",
        b'["returned"',
        b'["returned", {"a": 1}]',
        b'["returned", ["list"]]',
        b'["returned", ["list", 1]]',
        b'["returned", ["other", []]]',
        b'["returned", ["dict", [[["list", []], 1]]]]',
        b'["returned", ["int", "zz"]]',
        b'["returned", ["bytes", "zz"]]',
        b'["returned", ' + b"9" * 5000 + b"]",
        b'["returned", ' + b'["list", [' * 20_000,
        b'["raised", 1]',
        b"\xff\xfe",
    ],
)
def test_reading_ends_at_the_first_line_that_is_none(line: bytes) -> None:
    results, out_of_memory = read_results(b'\n["returned", 1]\n' + line + b'\n["returned", 2]\n')
    assert results == (CallResult(True, 1),)
    assert not out_of_memory


def test_a_line_that_was_cut_does_not_count() -> None:
    assert read_results(b'\n["returned", 1]\n["returned", 2')[0] == (CallResult(True, 1),)
    assert read_results(b"") == ((), False)
    assert read_results(b'\n["memory"]\n') == ((), True)
