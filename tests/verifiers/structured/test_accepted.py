"""BFCL's rule for arguments: which values are among the accepted ones."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rlpt.verifiers.structured.accepted import accepts


def array(items):
    return {"type": "array", "items": {"type": items}}


DICTIONARY = {"type": "dict", "properties": {"n": {"type": "integer"}, "x": {"type": "float"}}}


@pytest.mark.parametrize(
    ("value", "accepted", "schema", "right"),
    [
        # types
        (4, [4], {"type": "integer"}, True),
        (4.0, [4], {"type": "integer"}, False),
        (True, [1], {"type": "integer"}, False),
        (1, [True], {"type": "boolean"}, False),
        ("4", [4], {"type": "integer"}, False),
        (4, ["4"], {"type": "string"}, False),
        (4, [4.0], {"type": "float"}, True),
        (4.0, [4], {"type": "float"}, True),
        (2**53 + 1, [float(2**53)], {"type": "float"}, False),
        (True, [1.0], {"type": "float"}, False),
        (4, [4.0], {}, True),
        (4.0, [4], {}, False),
        (True, [1], {}, False),
        (None, ["", None], {"type": "integer"}, True),
        (None, [""], {"type": "integer"}, False),
        (0, ["", False], {"type": "boolean"}, False),
        ("two", [2, "two"], {"type": "integer"}, False),
        ("n_rows", ["n_rows"], {"type": "integer"}, True),
        ("N_rows", ["n_rows"], {"type": "integer"}, False),
        ("two", [2, "two"], {"type": ["integer", "string"]}, True),
        ("two", [2, "two"], {"type": "any"}, True),
        # what may be left out
        ("", ["m", ""], {"type": "string"}, True),
        ("", ["m", ""], {}, True),
        ("", ["m"], {"type": "string"}, False),
        ("", [5, ""], {"type": "integer"}, False),
        ("", [5, ""], {}, False),
        ("-", ["m", ""], {"type": "string"}, False),
        (" ", ["m", ""], {"type": "string"}, False),
        # strings
        ("paris FRANCE", ["Paris, France"], {"type": "string"}, True),
        ("2024/05-01", ["2024-05-01"], {"type": "string"}, True),
        ("O'Hare", ['O"Hare'], {"type": "string"}, True),
        ("Paris\tFrance", ["Paris France"], {"type": "string"}, False),
        ("Paris!", ["Paris"], {"type": "string"}, False),
        ("555-1234", ["5551234"], {"type": "string"}, True),
        ("-5", ["5"], {"type": "string"}, False),
        ("1.5", ["15"], {"type": "string"}, False),
        ("1,500", ["1500"], {"type": "string"}, True),
        ("/", ["-"], {"type": "string"}, False),
        ("*", ["*"], {"type": "string"}, True),
        # arrays
        (["A", "b"], [["a", "B."]], array("string"), True),
        (["b", "a"], [["a", "b"]], array("string"), False),
        (["b", "a"], [["a", "b"], ["b", "a"]], array("string"), True),
        (["a"], [["a", "b"]], array("string"), False),
        (["a", "b", "b"], [["a", "b"]], array("string"), False),
        ("a", [["a"]], array("string"), False),
        ([1, 2], [[1, 2]], array("integer"), True),
        ([1, 2.0], [[1, 2]], array("integer"), False),
        ([True], [[1]], array("integer"), False),
        ([1, 2], [[1.0, 2.0]], array("float"), False),
        ([1.0, 2.0], [[1, 2]], array("float"), True),
        ([1, 2], [[1.0, 2.0]], array("number"), True),
        ((1, 2), [[1, 2]], array("integer"), False),
        ((1, 2), [[1, 2]], {"type": "tuple", "items": {"type": "integer"}}, True),
        ((1, (2,)), [[1, [2]]], {}, True),
        ([[1], [2]], [[[1], [2]]], {"type": "array", "items": {"type": "array"}}, True),
        ([[1], [True]], [[[1], [1]]], {"type": "array", "items": {"type": "array"}}, False),
        ([], [[], ""], array("string"), True),
        ("df['a']", ["df['a']"], array("float"), True),
        # dictionaries
        ({"n": 5}, [{"n": [5, 6]}], DICTIONARY, True),
        ({"n": 7}, [{"n": [5, 6]}], DICTIONARY, False),
        ({"n": 5.0}, [{"n": [5]}], DICTIONARY, False),
        ({"n": True}, [{"n": [1]}], DICTIONARY, False),
        ({"x": 5}, [{"x": [5.0]}], DICTIONARY, True),
        ({"n": 5}, [{"n": [5], "x": [1.0]}], DICTIONARY, False),
        ({"n": 5}, [{"n": [5], "x": [1.0, ""]}], DICTIONARY, True),
        ({"n": 5, "y": 1}, [{"n": [5]}], DICTIONARY, False),
        ({}, [{"n": [5]}], DICTIONARY, False),
        ({}, [{"n": ["", 5]}], DICTIONARY, True),
        ({}, [{}], DICTIONARY, True),
        ({"n": 1}, [{}], DICTIONARY, False),
        ({"n": 2}, [{"n": [1]}, {"n": [2]}], DICTIONARY, True),
        ({"a": {"b": "X"}}, [{"a": [{"b": ["x", "y"]}]}], {}, True),
        ({"a": {"b": ["x"]}}, [{"a": [{"b": ["x", "y"]}]}], {}, False),
        ({"a": {"b": 1.5, "c": 2}}, [{"a": [{"b": 1.5, "c": 2}]}], {}, True),
        ({"a": {"b": 1.5, "c": True}}, [{"a": [{"b": 1.5, "c": 1}]}], {}, False),
        ({"a": {"b": 1.5}}, [{"a": [{"b": 1.5, "c": 2}]}], {}, False),
        ([{"n": "a"}, {"n": "b"}], [[{"n": ["A"]}, {"n": ["b", "c"]}]], array("dict"), True),
        ([{"n": "b"}, {"n": "a"}], [[{"n": ["a"]}, {"n": ["b"]}]], array("dict"), False),
        (["a"], [[{"n": ["a"]}]], array("dict"), False),
        ([{"n": "a"}], [[{"n": ["a"]}]], {}, True),
        ({"n": 5}, ['{"n": 5}'], DICTIONARY, False),
    ],
)
def test_the_rule(value, accepted, schema, right):
    assert accepts(value, accepted, schema, strict_strings=False) is right


@pytest.mark.parametrize(
    ("value", "right"), [("Paris", True), ("paris", False), ("Paris ", False), (["Paris"], True), (["paris"], False)]
)
def test_strict_strings_count_letter_by_letter(value, right):
    assert accepts(value, ["Paris", ["Paris"]], {}, strict_strings=True) is right


PLAIN = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-3, 3)
    | st.sampled_from([0.0, 1.0, -1.0, 2.5])
    | st.text("aA-.1", min_size=1, max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("ab"), inner, max_size=2),
    max_leaves=6,
)


def as_choice(value):
    """A value as an accepted one: each key of a dictionary has a list."""
    if isinstance(value, dict):
        return {key: [as_choice(inner)] for key, inner in value.items()}
    return [as_choice(inner) for inner in value] if isinstance(value, list) else value


@settings(max_examples=300, deadline=None)
@given(PLAIN)
def test_a_value_is_accepted_as_itself(value):
    assert accepts(value, [as_choice(value)], {}, strict_strings=True)


@settings(max_examples=300, deadline=None)
@given(PLAIN, PLAIN)
def test_values_that_differ_in_more_than_spelling_are_not_accepted(value, other):
    def shape(one):
        """Floats and integers apart, and texts without what is ignored."""
        if isinstance(one, dict):
            return {key: shape(inner) for key, inner in one.items()}
        if isinstance(one, list):
            return [shape(inner) for inner in one]
        if isinstance(one, str):
            return one.lower().replace("-", "").replace(".", "")
        return (isinstance(one, bool), one)

    if shape(value) != shape(other):
        assert not accepts(value, [as_choice(other)], {}, strict_strings=False)
