"""The verifier `tool_call`: does the completion make the expected calls, each argument among the accepted values?

`Task.reference = {"calls": [{"name": "get_weather", "arguments": {"city": ["Paris", "Paris, France"], "unit":
["celsius", ""]}}], "tools": [...], "ordered": false}`. Each expected call must be matched by a call of its own, in any
order unless "ordered", and there may be no other call. An argument lists its accepted values, `""` among them where it
may be left out; the rule is `structured.accepted`. "tools" are function descriptions as the policy sees them, with
parameters as JSON Schema: with them types are checked, and arguments that a tool needs may not be left out. `{"calls":
[]}` means that no call is right: a text without any, and without a failed attempt at one.

Calls are read in the syntaxes of `structured.calls`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from rlpt.errors import UserError
from rlpt.records import Task, Verdict
from rlpt.verifiers.answers import response
from rlpt.verifiers.structured.accepted import accepts, may_be_left_out
from rlpt.verifiers.structured.call_reference import ExpectedCall, Tool, read_reference
from rlpt.verifiers.structured.calls import SYNTAXES, Call, CallError, read_calls

MOST_DETAIL = 300


class ToolCallVerifier:
    """Reward 1.0 where exactly the expected calls are made, else 0.0.

    `syntax`: those that are read: `hermes`, `json`, `python`. `strict_strings`: whether strings count letter by letter;
    otherwise without case, spaces and `,./-_*^`. `max_characters`: a longer response is wrong unread.

    Parts of a verdict:
        format: 1.0 where there are well-formed calls, right or not; where no call is right, also for a plain text.
    """

    def __init__(
        self, syntax: Sequence[str] = SYNTAXES, strict_strings: bool = False, max_characters: int = 20_000
    ) -> None:
        if not syntax or not set(syntax) <= set(SYNTAXES):
            raise UserError(f"tool_call: syntax must list some of {', '.join(SYNTAXES)}; got {list(syntax)!r}.")
        if max_characters < 1:
            raise UserError(f"tool_call: max_characters must be at least 1; got {max_characters}.")
        self.syntax = frozenset(syntax)
        self.strict_strings = strict_strings
        self.max_characters = max_characters

    def verify(self, task: Task, completion: str) -> Verdict:
        """Judge a completion. Raises UserError for a reference that cannot be judged by; see `check_reference`."""
        expected = read_reference(task.reference)
        text = response(completion)
        if not text:
            return _wrong("an empty response", 0.0)
        if len(text) > self.max_characters:
            return _wrong(f"the response is longer than {self.max_characters} characters", 0.0)
        try:
            calls = read_calls(
                text, self.syntax, {name: list(tool.parameters) for name, tool in expected.tools.items()}
            )
        except CallError as error:
            return _wrong(str(error), 0.0)
        if not calls and expected.calls:
            return _wrong("no call found", 0.0)
        if calls is None and not re.search(r"\w", text):
            return _wrong("a response without a word", 0.0)
        problem = self._problem(expected.calls, calls or [], expected.tools, expected.ordered)
        if problem is not None:
            return _wrong(problem, 1.0)
        return Verdict(1.0, "correct", "", {"format": 1.0})

    def check_reference(self, reference: Mapping[str, Any]) -> None:
        """Raise UserError for a reference of another form, or one that no answer could satisfy."""
        read_reference(reference)

    def _problem(
        self, expected: Sequence[ExpectedCall], calls: Sequence[Call], tools: Mapping[str, Tool], ordered: bool
    ) -> str | None:
        if len(calls) != len(expected):
            return f"{len(calls)} calls where {len(expected)} are right"
        if ordered:
            pairs = zip(expected, calls, strict=True)
            return next(filter(None, (self._difference(*pair, tools) for pair in pairs)), None)
        differences = [[self._difference(wanted, call, tools) for call in calls] for wanted in expected]
        unmatched = _unmatched([[difference is None for difference in row] for row in differences])
        if unmatched is None:
            return None
        wanted = expected[unmatched]
        strays = [
            row
            for row, call in zip(zip(*differences, strict=True), calls, strict=True)
            if None not in row and call.name == wanted.name
        ]
        return strays[0][unmatched] if strays else f"no call of its own for {wanted.name}"

    def _difference(self, wanted: ExpectedCall, call: Call, tools: Mapping[str, Tool]) -> str | None:
        """Why a call is not the one that is wanted; None where it is."""
        if call.name != wanted.name:
            return f"{call.name} is called where {wanted.name} is right"
        tool = tools.get(wanted.name)
        for name, value in call.arguments.items():
            if name not in wanted.arguments or (tool and name not in tool.parameters):
                return f"{wanted.name} has an argument {name} too many"
            schema = tool.parameters[name] if tool else {}
            if not accepts(value, wanted.arguments[name], schema, self.strict_strings):
                return f"{wanted.name}: {name} is {value!r}, accepted are {wanted.arguments[name]!r}"
        for name, accepted in wanted.arguments.items():
            needed = tool is not None and name in tool.required
            if name not in call.arguments and (needed or not may_be_left_out(accepted)):
                return f"{wanted.name}: {name} is missing"
        return None


def _unmatched(fits: Sequence[Sequence[bool]]) -> int | None:
    """The first expected call that finds no call of its own, however the calls are given out; None where all do.

    `fits[i][j]`: whether call j is what expected call i wants. Augmenting paths (Kuhn's algorithm): a first fit could
    take the call that only another expected call can use.
    """
    owners: dict[int, int] = {}

    def find(wanted: int, tried: set[int]) -> bool:
        for call, fit in enumerate(fits[wanted]):
            if fit and call not in tried:
                tried.add(call)
                if call not in owners or find(owners[call], tried):
                    owners[call] = wanted
                    return True
        return False

    return next((wanted for wanted in range(len(fits)) if not find(wanted, set())), None)


def _wrong(detail: str, format_: float) -> Verdict:
    return Verdict(0.0, "wrong", " ".join(detail.split())[:MOST_DETAIL], {"format": format_})
