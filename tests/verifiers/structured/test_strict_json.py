"""JSON is read strictly, in linear time, and compared by value and type."""

import json
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rlpt.verifiers.structured.strict_json import MOST_DEPTH, JsonError, plain, read, same

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**300), 10**300)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"]), max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text("abc", max_size=3), inner, max_size=4),
    max_leaves=12,
)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "NaN",
        "Infinity",
        "-Infinity",
        "[NaN]",
        '{"a": 1, "a": 1}',
        '[{"b": {"a": 1, "\\u0061": 2}}]',
        "1e999",
        "-1e999",
        "1e-999",
        "0." + "0" * 390 + "1",
        "1" + "0" * 308,
        "-" + "9" * 100_000,
        "1." + "1" * 100_000,
        '"\\ud800"',
        '{"\\udfff": 1}',
        '"\ud800"',
        "[1,]",
        "[1 2]",
        "1 2",
        "{} {}",
        "01",
        "+1",
        ".5",
        "1.",
        "0x10",
        "'a'",
        "True",
        "None",
        '"a\nb"',
        '"\\x41"',
        "{a: 1}",
        "[1] // one",
        "\ufeff1",
        "\u00a01",
        "[" * 10_000,
        "[" * 10_000 + "]" * 10_000,
        '{"a":' * 10_000 + "1" + "}" * 10_000,
        "[" * (MOST_DEPTH + 1) + "]" * (MOST_DEPTH + 1),
        '"' + '\\"' * 50_000,
        '"' * 100_001,
    ],
    ids=lambda text: repr(text[:20]),
)
def test_what_is_not_one_strict_value_is_refused_at_once(text):
    started = time.monotonic()
    with pytest.raises(JsonError):
        read(text)
    assert time.monotonic() - started < 1.0


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (" [1, 2.0]\n", [1, 2.0]),
        ("-0", 0),
        ("-0.0", 0.0),
        ("0e-999", 0.0),
        ("9" * 308, int("9" * 308)),
        ("1E2", 100.0),
        ('"\\ud83d\\ude00"', "\U0001f600"),
        ('"' + "[" * 1000 + '"', "[" * 1000),
        ('["\\\\", "["]', ["\\", "["]),
        ("[" * MOST_DEPTH + "]" * MOST_DEPTH, None),
    ],
)
def test_one_strict_value_is_read(text, value):
    read_value = read(text)
    if value is not None:
        assert same(read_value, value)


def test_one_and_one_point_naught_and_true_are_three_values():
    values = [1, 1.0, True, "1", None, [1], {"1": 1}]
    for i, one in enumerate(values):
        for j, other in enumerate(values):
            assert same(one, other) == (i == j)
            assert same([one], [other]) == (i == j)
            assert same({"a": {"b": one}}, {"a": {"b": other}}) == (i == j)


def test_the_order_of_keys_does_not_count_and_that_of_items_does():
    assert same({"a": 1, "b": 2}, {"b": 2, "a": 1})
    assert not same({"a": 1}, {"a": 1, "b": 2})
    assert not same([1, 2], [2, 1])
    assert not same([1], [1, 1])


def test_references_may_hold_tuples_and_nothing_that_json_lacks():
    assert plain({"a": (1, 2)}) == {"a": [1, 2]}
    circular = []
    circular.append(circular)
    for value in (float("nan"), {1, 2}, object(), "\ud800", 10**400, circular):
        with pytest.raises(JsonError):
            plain(value)


@settings(max_examples=300, deadline=None)
@given(VALUES)
def test_a_value_written_and_read_is_the_same(value):
    assert same(read(json.dumps(value)), value)
    assert same(read(json.dumps(value, ensure_ascii=False, indent=1)), plain(value))


@settings(max_examples=300, deadline=None)
@given(st.text('[]{}",:\\u0123456789eE+-.aNtrufls \n', max_size=60))
def test_any_text_is_read_as_the_library_does_or_refused(text):
    try:
        value = read(text)
    except JsonError:
        return
    assert value == json.loads(text)
