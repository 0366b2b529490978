"""Finds the tool calls in a response and reads them as data. Nothing is evaluated; bounded by the text's length.

Three syntaxes:
    hermes: `<tool_call>{"name": ..., "arguments": {...}}</tool_call>` blocks, any text between them.
    json: an object with "name" and "arguments" (or "parameters"), or a list of them.
    python: `[f(a=1, b="x"), g()]`, or the calls without the brackets, with literals for arguments.

JSON and Python calls are the whole response, or what stands in its fenced blocks. Where the whole response can be read
as calls, that counts; else the `<tool_call>` blocks where there are any; else all fenced blocks.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rlpt.verifiers.fences import fences
from rlpt.verifiers.structured.python_calls import python_calls
from rlpt.verifiers.structured.strict_json import JsonError, read

SYNTAXES = ("hermes", "json", "python")
LANGUAGES = frozenset({"", "json", "py", "python", "tool_call", "tool_calls", "tool_code"})
"""Of fenced blocks that are read."""

_TAG = re.compile(r"(</?tool_call>)")
# What is meant for a call, in whatever syntax. It need not be exact: a text for which no call is right can do without.
_ATTEMPT = re.compile(
    r"</?\s*(?:tool_calls?|function)\b|<\|python_tag\|>|\[TOOL_CALLS\]|[\"']name[\"']\s*:", re.IGNORECASE
)
_LEADING_CALL = re.compile(r"\[?\s*[^\W\d][\w.]*\(")
_ANY_CALL = re.compile(r"\w\((?!s\))")


class CallError(ValueError):
    """A text that is meant for calls and cannot be read as such. The message says why."""


@dataclass(frozen=True, slots=True)
class Call:
    """One call: plain values, tuples among them where Python was written."""

    name: str
    arguments: Mapping[str, Any]


def read_calls(
    text: str, syntaxes: Collection[str] = SYNTAXES, parameters: Mapping[str, Sequence[str]] | None = None
) -> list[Call] | None:
    """Return the calls of a response, in order; None where it holds none and none is attempted.

    `syntaxes`: those that are read. `parameters`: tool -> its parameters in order, for positional arguments, which are
    refused for other tools.

    Raises:
        CallError: for what is meant for a call and is no well-formed one.
    """
    parameters = parameters or {}
    try:
        return _block(text, syntaxes, parameters)
    except CallError as error:
        problem = error
    if _TAG.search(text):
        if "hermes" not in syntaxes:
            raise CallError("<tool_call> blocks are not among the syntaxes asked for")
        return _tagged(text)
    blocks = [inside for language, inside in fences(text) if language in LANGUAGES]
    if blocks:
        return [call for block in blocks for call in _block(block.strip(), syntaxes, parameters)]
    if attempted(text, parameters):
        raise problem
    return None


def attempted(text: str, tools: Collection[str]) -> bool:
    """Whether a text looks as if a call was meant: by tags, by keys, or by a name before a parenthesis.

    Within a text the name is one of the tools; any name where they are not known.
    """
    if _ATTEMPT.search(text) or _LEADING_CALL.match(text):
        return True
    if not tools:
        return bool(_ANY_CALL.search(text))
    return bool(re.search(rf"(?<!\w)(?:{'|'.join(map(re.escape, tools))})\s*\(", text))


def _tagged(text: str) -> list[Call]:
    parts = _TAG.split(text)
    tags, insides = parts[1::2], parts[2::4]
    if tags != ["<tool_call>", "</tool_call>"] * (len(tags) // 2):
        raise CallError("<tool_call> tags do not open and close in turn")
    return [_json_call(_json(inside)) for inside in insides]


def _block(text: str, syntaxes: Collection[str], parameters: Mapping[str, Sequence[str]]) -> list[Call]:
    """What one text holds that is calls and nothing else."""
    problem = CallError("no call in a syntax asked for")
    if "json" in syntaxes and text.startswith(("{", "[")):
        try:
            value = _json(text)
            return [_json_call(one) for one in (value if isinstance(value, list) else [value])]
        except CallError as error:
            problem = error
    if "python" in syntaxes:
        try:
            return [Call(name, arguments) for name, arguments in python_calls(text, parameters)]
        except ValueError as error:
            problem = problem if text.startswith(("{", "[{")) else CallError(str(error))
    raise problem


def _json(text: str) -> Any:  # noqa: ANN401
    try:
        return read(text)
    except JsonError as error:
        raise CallError(str(error)) from None


def _json_call(value: object) -> Call:
    match value:
        case {"name": str(name), "arguments": dict(arguments), **others} if name and not others:
            return Call(name, arguments)
        case {"name": str(name), "parameters": dict(arguments), **others} if name and not others:
            return Call(name, arguments)
    raise CallError('a call is a JSON object with "name" and "arguments" (or "parameters") and nothing else')
