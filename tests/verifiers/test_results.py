"""When a result is the expected one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rlpt.sandbox.protocol import Opaque
from rlpt.verifiers.results import matches, same_output

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


@given(JSON)
def test_a_value_matches_itself(value: object) -> None:
    assert matches(value, value, 0.0)


@pytest.mark.parametrize(
    ("expected", "value"),
    [
        ([1, 2], (1, 2)),
        ([[1], [2]], [(1,), (2,)]),
        ({"1": "a", "2": "b"}, {2: "b", 1: "a"}),
        ({"true": 1}, {True: 1}),
        (0.3, 0.1 + 0.2),
        (1e6, 1e6 + 0.5),
        (0.0, 1e-10),
        (float("inf"), float("inf")),
        pytest.param(10**5000, 10**5000, id="5000 digits"),
    ],
)
def test_equal(expected: object, value: object) -> None:
    assert matches(expected, value, 1e-6)


@pytest.mark.parametrize(
    ("expected", "value"),
    [
        (1, True),
        (True, 1),
        (1, 1.0),
        (1.0, 1),
        (0, None),
        (0, False),
        (None, ""),
        ("1", 1),
        ("a", b"a"),
        ([], None),
        ([1], [1, 1]),
        ([1], [True]),
        ([1, 2], {1, 2}),
        ([1, 2], "12"),
        (["a", "b"], "ab"),
        ({}, []),
        ({"a": 1}, {"a": 1, "b": 2}),
        ({"a": 1}, {"a": True}),
        ({"1": "a"}, {"1": "a", 1: "b"}),
        (0.3, 0.3001),
        (1e-7, 0.0),
        (float("nan"), 0.0),
        (0.0, float("nan")),
        (float("inf"), float("-inf")),
        (1, Opaque("int")),
        ([1], Opaque("list")),
        pytest.param({"1": 0}, {10**5000: 0}, id="5000 digits as a key"),
        pytest.param(1, 10**5000, id="5000 digits"),
    ],
)
def test_not_equal(expected: object, value: object) -> None:
    assert not matches(expected, value, 1e-6)


@pytest.mark.parametrize(
    ("printed", "expected"),
    [
        (b"1\n2\n", "1\n2"),
        (b"1 \r\n2\t\r\n\r\n", "1\n2\n"),
        (b"0.333333", "0.333333333333"),
        (b"x = 2.5000001 m", "x = 2.5 m"),
        (b"", ""),
        (b"\n\n", ""),
        ("ä".encode(), "ä"),
    ],
)
def test_same_output(printed: bytes, expected: str) -> None:
    assert same_output(printed, expected)


@pytest.mark.parametrize(
    ("printed", "expected"),
    [
        (b"12", "1 2"),
        (b"1 2", "12"),
        (b"1\n2", "1 2"),
        (b" 1", "1"),
        (b"1  2", "1 2"),
        (b"1.0", "1"),
        (b"1", "1.0"),
        (b"1\n\n2", "1\n2"),
        (b"2.51", "2.5"),
        (b"nan", "0.0"),
        (b"1_0.0", "10.0"),
        (b"abc", "ABC"),
        (b"\xff", "?"),
        (b"", "1"),
    ],
)
def test_other_output(printed: bytes, expected: str) -> None:
    assert not same_output(printed, expected)
