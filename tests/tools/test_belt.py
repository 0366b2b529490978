"""One rollout's tools: what a bad call is told, what a failing tool comes to, and places without deadlock."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from rlpt.errors import UserError
from rlpt.tools.belt import Belt, Places
from rlpt.tools.building import build_tools, describe_tools
from rlpt.tools.protocol import ToolResult


class Echo:
    """A tool as a user writes one; `fails` says where it raises."""

    def __init__(self, name: str = "echo", sessions: int = 1, fails: str = "", sandbox: object = "unset") -> None:
        self.sessions = sessions
        self.name = name
        self.fails = fails
        self.sandbox = sandbox
        self.closed = 0

    def schema(self) -> Mapping[str, Any]:
        return {"type": "function", "function": {"name": self.name, "sandbox": self.sandbox}}

    def open(self) -> Echo:
        if self.fails == "open":
            raise OSError("no more")
        return self

    def call(self, arguments: Mapping[str, Any]) -> ToolResult:
        if self.fails == "call":
            raise ZeroDivisionError("a bug")
        return ToolResult(str(dict(arguments)))

    def close(self) -> None:
        self.closed += 1
        if self.fails == "close":
            raise OSError("stuck")


@pytest.mark.parametrize(
    ("name", "arguments", "part"),
    [
        ("ecko", "{}", "there is no tool ecko; there is echo"),
        ("echo", "{'a': 1}", "no JSON"),
        ("echo", '{"a": ', "no JSON"),
        ("echo", "[1]", "must be a JSON object"),
        ("echo", "null", "must be a JSON object"),
        ("echo", "[" * 100_000, "no JSON"),
    ],
)
def test_a_bad_call_is_told_what_is_wrong(name: str, arguments: str, part: str) -> None:
    result = Belt({"echo": Echo()}).call(name, arguments)
    assert result.status == "error"
    assert part in result.text


def test_a_good_call_reaches_the_tool_and_no_arguments_are_an_empty_object() -> None:
    belt = Belt({"echo": Echo()})
    assert belt.call("echo", '{"a": 1}') == ToolResult("{'a': 1}", "ok")
    assert belt.call("echo", "") == ToolResult("{}", "ok")


@pytest.mark.parametrize("fails", ["open", "call"])
def test_a_tool_that_raises_is_an_infrastructure_failure(fails: str) -> None:
    assert Belt({"echo": Echo(fails=fails)}).call("echo", "{}").status == "infra_error"


def test_every_session_is_closed_once_also_where_one_refuses() -> None:
    tools = {"a": Echo("a", fails="close"), "b": Echo("b")}
    belt = Belt(tools)
    for name in tools:
        belt.call(name, "{}")
    belt.close()
    belt.close()
    assert [tool.closed for tool in tools.values()] == [1, 1]


def test_places_are_taken_all_or_none() -> None:
    one, two = Echo("one", sessions=1), Echo("two", sessions=2)
    places = Places({"one": one, "two": two})
    assert places.take({"one": one, "two": two})
    assert not places.take({"one": one, "two": two})
    assert places.take({"two": two}), "the place of two that could not be used is still there"
    assert not places.take({"two": two})
    places.give_back({"one": one, "two": two})
    assert places.take({"one": one, "two": two})


def test_a_tool_must_describe_itself_under_its_key() -> None:
    node = {"_target_": f"{__name__}.Echo", "name": "other"}
    with pytest.raises(UserError, match=r"tool\.mine describes itself under the name 'other'"):
        build_tools({"mine": node})


def test_a_sandbox_is_the_tools_to_build() -> None:
    node = {"_target_": f"{__name__}.Echo", "sandbox": {"_target_": "nowhere.at_all"}}
    assert describe_tools({"echo": node})["echo"]["function"]["sandbox"] == node["sandbox"]


@pytest.mark.parametrize("sessions", [0, -1])
def test_a_tool_that_no_rollout_may_use_is_refused(sessions: int) -> None:
    node = {"_target_": f"{__name__}.Echo", "sessions": sessions}
    with pytest.raises(UserError, match=rf"tool\.echo\.sessions={sessions} .* set it to 1 or more"):
        build_tools({"echo": node})
