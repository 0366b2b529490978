"""Comparisons that take the place of a generator's scorer."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rlpt.gym.comparisons import caseless, compact, grid, listing, near, number, numbers, text, value

ALL = (text, caseless, compact, number, near("1e-4"), numbers, grid, listing)


@pytest.mark.parametrize(
    ("compare", "answer", "gold", "same"),
    [
        (text, " 1  2 \n3 4\n", "1 2\n3 4", True),
        (text, "1 2 3 4", "1 2\n3 4", False),
        (text, "Yes", "yes", False),
        (caseless, "YES", "yes", True),
        (caseless, "yes!", "yes", False),
        (compact, "[[0, 1],\n [1, 0]]", "[[0,1],[1,0]]", True),
        (compact, "[[0,1],[1,1]]", "[[0,1],[1,0]]", False),
        (number, "+1,000.00", "1000", True),
        (number, "1/4", "0.25", True),
        (number, "2.5e-1", "1/4", True),
        (number, "-5", "5", False),
        (number, "5 or 6", "5", False),
        (number, "1,23", "123", False),
        (number, "1/0", "1", False),
        (number, "nan", "nan", False),
        (number, "\u0665", "5", False),
        (number, "1_000", "1000", False),
        (near("1e-4"), "0.31251", "0.3125", True),
        (near("1e-4"), "0.3", "0.3125", False),
        (near("1e-4"), "0", "3.05e-05", False),
        (numbers, "1.5, -2", "-2.0, 1.50", True),
        (numbers, "1.5", "1.5, 1.5", False),
        (numbers, "1.5, 2, 3", "1.5, 2", False),
        (numbers, "", "", False),
        (grid, "1 2\n3 4.0", "1.0 2\n3 4", True),
        (grid, "1 2 3", "1\n2\n3", False),
        (grid, "1 2\n3", "1 2\n3 4", False),
        (grid, "1 x", "1 x", False),
        (listing, '["a", "b"]', "['a', 'b']", True),
        (listing, "a,b", "a, b", True),
        (listing, "b, a", "a, b", False),
        (listing, "a, b, c", "a, b", False),
    ],
)
def test_what_counts_as_the_same(compare, answer, gold, same):
    assert compare(answer, gold) is same


@pytest.mark.parametrize("written", ["1e999999999", "9" * 101, "1e-9999", "1/" + "9" * 101, "", ".", "-", "e5", "0x10"])
def test_numbers_without_bound_and_what_is_none_are_not_read(written):
    assert value(written) is None


@settings(max_examples=200, deadline=None)
@given(answer=st.text(max_size=60), gold=st.text(max_size=20))
def test_any_text_is_compared(answer, gold):
    for compare in ALL:
        assert compare(answer, gold) in (True, False)


@settings(max_examples=100, deadline=None)
@given(st.integers(-(10**20), 10**20), st.integers(0, 6))
def test_a_number_equals_itself_however_it_is_written(whole, places):
    assert number(f"{whole:,}.{'0' * places}", str(whole))
    assert number(f"{whole * 2}/2", str(whole))
    assert not number(str(whole + 1), str(whole))
