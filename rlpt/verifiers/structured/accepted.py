r"""The Berkeley Function Calling Leaderboard's rule for arguments: is a value among those that are accepted?

Source: Patil et al., "The Berkeley Function Calling Leaderboard" (ICML 2025), AST evaluation. Each argument comes with
a list of accepted values; `""` among them means that it may be left out.
    types: a value has the type that the tool's schema names, or that of the first accepted value. A whole number is
        accepted where a float is wanted, but not for the items of an array of floats.
    strings: equal without case, spaces and `,./-_*^`, with `'` for `"`; or letter by letter.
    arrays: item by item, in order.
    dictionaries: no other keys; each key has accepted values of its own. So do dictionaries in arrays.

Stricter than that: true is never 1 and 4.0 never 4 for an integer, at any depth; strings of which nothing is left (`-`
and `/`), and those that are both numbers (`1.5` and `15`), are equal where they are so as they stand. Beyond it: a
dictionary within a dictionary follows the same rule; one none of whose values is a list stands for itself.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from types import NoneType
from typing import Any

from rlpt.verifiers.structured.strict_json import same

TYPES: Mapping[str, tuple[type, ...]] = {
    "any": (),
    "array": (list,),
    "boolean": (bool,),
    "dict": (dict,),
    "float": (float, int),
    "integer": (int,),
    "null": (NoneType,),
    "number": (float, int),
    "object": (dict,),
    "string": (str,),
    "tuple": (list,),
}
"""The leaderboard's types and JSON Schema's, and the plain values that have them; `any` stands for all."""

_IGNORED = str.maketrans("'", '"', " ,./-_*^")
_NUMBER = re.compile(r"\s*[+-]?(?:[0-9][0-9,]*+(?:\.[0-9]++)?|\.[0-9]++)\s*")


def named_types(schema: Mapping[str, Any]) -> frozenset[str]:
    """The types that a parameter's schema names; empty where any type will do."""
    named = schema.get("type", "any")
    types = frozenset([named] if isinstance(named, str) else named)
    return frozenset() if "any" in types else types


def accepts(value: object, accepted: Sequence[object], schema: Mapping[str, Any], strict_strings: bool) -> bool:
    """Whether an argument's value is one of those accepted. `schema`: of the parameter, `{}` where it is not known."""
    types = named_types(schema)
    if not types or "tuple" in types:
        value = _lists(value)
    choices = [choice for choice in accepted if choice != ""]
    if value == "":  # an empty text, where the argument is one: as good as none
        return may_be_left_out(accepted) and (
            "string" in types if types else all(isinstance(choice, str) for choice in choices)
        )
    kinds = {kind for name in types for kind in TYPES[name]}
    if types and type(value) not in kinds and not (choices and type(value) is type(choices[0])):
        return False
    return any(_matches(value, choice, schema, strict_strings, item=False) for choice in choices)


def may_be_left_out(accepted: Sequence[object]) -> bool:
    """Whether an argument with these accepted values may be missing."""
    return "" in accepted


def _matches(value: object, choice: object, schema: Mapping[str, Any], strict_strings: bool, *, item: bool) -> bool:
    """Whether a value is what one accepted value stands for. `item`: whether they are items of arrays."""
    types = named_types(schema)
    if isinstance(value, str) and isinstance(choice, str):
        # A text where the tool wants none is the name of a variable.
        loose = not strict_strings and (not types or "string" in types)
        return value == choice or (loose and _same_when_folded(value, choice))
    if isinstance(value, list) and isinstance(choice, list):
        items = _inner(schema, "items")
        return len(value) == len(choice) and all(
            _matches(one, other, items, strict_strings, item=True) for one, other in zip(value, choice, strict=True)
        )
    if isinstance(value, dict) and isinstance(choice, dict):
        return _matches_dictionary(value, choice, _inner(schema, "properties"), strict_strings)
    if type(value) is int and type(choice) is float:
        return value == choice and ("number" in types or (not item and (not types or "float" in types)))
    if type(value) is float and type(choice) is int:
        return value == choice and not types.isdisjoint({"number", "float"})
    return same(value, choice)


def _matches_dictionary(
    value: Mapping[str, Any], choice: Mapping[str, Any], properties: Mapping[str, Any], strict_strings: bool
) -> bool:
    if not all(isinstance(accepted, list) for accepted in choice.values()):
        return value.keys() == choice.keys() and all(
            _matches(value[key], choice[key], _inner(properties, key), strict_strings, item=False) for key in choice
        )
    return value.keys() <= choice.keys() and all(
        accepts(value[key], accepted, _inner(properties, key), strict_strings)
        if key in value
        else may_be_left_out(accepted)
        for key, accepted in choice.items()
    )


def _same_when_folded(one: str, other: str) -> bool:
    if _NUMBER.fullmatch(one) and _NUMBER.fullmatch(other):
        return one.replace(",", "").strip() == other.replace(",", "").strip()
    folded = _folded(one)
    return folded != "" and folded == _folded(other)


def _folded(text: str) -> str:
    return text.translate(_IGNORED).lower()


def _inner(schema: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    inner = schema.get(key)
    return inner if isinstance(inner, Mapping) else {}


def _lists(value: object) -> object:
    """A value as JSON would have it: lists for tuples."""
    if isinstance(value, list | tuple):
        return [_lists(inner) for inner in value]
    if isinstance(value, dict):
        return {key: _lists(inner) for key, inner in value.items()}
    return value
