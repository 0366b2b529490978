"""The reference of a tool-call task: which calls are right, which tools there are. Refused where no answer could be."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rlpt.errors import UserError
from rlpt.verifiers.structured.accepted import TYPES, may_be_left_out
from rlpt.verifiers.structured.strict_json import JsonError, plain

MOST_CALLS = 100
"""Of one task. Each is compared with every call of a completion."""


@dataclass(frozen=True, slots=True)
class ExpectedCall:
    """A call that a completion must hold: argument -> accepted values."""

    name: str
    arguments: Mapping[str, Sequence[Any]]


@dataclass(frozen=True, slots=True)
class Tool:
    """A function description: the schema of each parameter, in order, and the names of those that are needed."""

    name: str
    parameters: Mapping[str, Mapping[str, Any]]
    required: Sequence[str]


@dataclass(frozen=True, slots=True)
class Expectation:
    """What a task asks for. `tools`: by name; empty where the task does not describe them."""

    calls: Sequence[ExpectedCall]
    tools: Mapping[str, Tool]
    ordered: bool


def read_reference(reference: Mapping[str, Any]) -> Expectation:
    """Return what a reference asks for.

    Raises:
        UserError: for a reference of another form, a type that is not known (`accepted.TYPES`), a call of a tool that
            is not described, and arguments that no call could have.
    """
    try:
        fields = plain({key: reference[key] for key in ("calls", "tools", "ordered") if key in reference})
    except JsonError as error:
        raise UserError(f"tool_call: the reference holds what is no JSON value: {error}.") from None
    calls, tools = fields.get("calls"), fields.get("tools") or []
    if not isinstance(calls, list) or len(calls) > MOST_CALLS:
        raise _refused("calls", f"must be a list of at most {MOST_CALLS} calls")
    if not isinstance(tools, list):
        raise _refused("tools", "must be a list of function descriptions")
    ordered = fields.get("ordered", False)
    if not isinstance(ordered, bool):
        raise _refused("ordered", f"must be true or false; got {ordered!r}")
    described = [_tool(tool) for tool in tools]
    by_name = {tool.name: tool for tool in described}
    if len(by_name) != len(described):
        raise _refused("tools", "describes one name twice")
    expected = [_expected(call) for call in calls]
    for call in expected:
        if by_name:
            _check_possible(call, by_name)
    return Expectation(expected, by_name, ordered)


def _refused(field: str, problem: str) -> UserError:
    return UserError(f"tool_call: the reference's '{field}' {problem}.")


def _expected(call: object) -> ExpectedCall:
    match call:
        case {"name": str(name), "arguments": dict(arguments), **others} if name and not others:
            for argument, accepted in arguments.items():
                _check_accepted(f"{name}.{argument}", accepted)
            return ExpectedCall(name, arguments)
    raise _refused("calls", f'must hold {{"name": text, "arguments": {{name: accepted values}}}}; got {str(call)[:80]}')


def _check_accepted(argument: str, accepted: object) -> None:
    if not isinstance(accepted, list) or not accepted:
        raise _refused("calls", f"needs a list of at least one accepted value for {argument}; got {accepted!r}")
    for dictionary in _dictionaries(accepted):
        lists = [isinstance(inner, list) for inner in dictionary.values()]
        if any(lists) and not all(lists):
            raise _refused("calls", f"has for {argument} a dictionary of which only some keys have a list of values")
        for key, inner in dictionary.items():
            if isinstance(inner, list):
                _check_accepted(f"{argument}.{key}", inner)


def _dictionaries(value: object) -> Iterator[Mapping[str, Any]]:
    """The outermost dictionaries in lists of lists."""
    if isinstance(value, dict):
        yield value
    elif isinstance(value, list):
        for inner in value:
            yield from _dictionaries(inner)


def _tool(tool: object) -> Tool:
    # OpenAI's form wraps the description: {"type": "function", "function": {...}}.
    if isinstance(tool, dict) and isinstance(tool.get("function"), dict):
        tool = tool["function"]
    if not isinstance(tool, dict) or not isinstance(tool.get("name"), str) or not tool["name"]:
        raise _refused("tools", f"must hold function descriptions with a name; got {str(tool)[:80]}")
    name, schema = tool["name"], tool.get("parameters") or {}
    properties = schema.get("properties", {}) if isinstance(schema, dict) else None
    required = schema.get("required", []) if isinstance(schema, dict) else None
    if not isinstance(properties, dict) or not isinstance(required, list):
        raise _refused("tools", f"needs for {name} parameters that are a JSON Schema with properties")
    for parameter, inner in properties.items():
        _check_types(f"{name}.{parameter}", inner)
    return Tool(name, properties, required)


def _check_types(parameter: str, schema: object) -> None:
    if not isinstance(schema, dict):
        raise _refused("tools", f"has no schema for {parameter}; got {schema!r}")
    named = schema.get("type", "any")
    for type_ in named if isinstance(named, list) else [named]:
        if not isinstance(type_, str) or type_ not in TYPES:
            raise _refused("tools", f"has an unknown type {type_!r} for {parameter}; known are {', '.join(TYPES)}")
    if isinstance(schema.get("items"), dict):
        _check_types(f"{parameter}[]", schema["items"])
    if isinstance(schema.get("properties"), dict):
        for key, inner in schema["properties"].items():
            _check_types(f"{parameter}.{key}", inner)


def _check_possible(call: ExpectedCall, tools: Mapping[str, Tool]) -> None:
    if call.name not in tools:
        raise _refused("calls", f"names {call.name}, which 'tools' does not describe")
    tool = tools[call.name]
    for argument, accepted in call.arguments.items():
        if argument not in tool.parameters and not may_be_left_out(accepted):
            raise _refused("calls", f"needs the argument {argument}, which {call.name} does not have")
    for parameter in tool.required:
        if all(choice == "" for choice in call.arguments.get(parameter, ())):
            raise _refused("calls", f"has no value for {call.name}.{parameter}, which the tool needs")
