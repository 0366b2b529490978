"""The tools of one rollout, and the places that rollouts wait for."""

from __future__ import annotations

import json
import logging
from collections import Counter
from collections.abc import Mapping
from typing import Any

from rlpt.tools.protocol import Tool, ToolResult, ToolSession

log = logging.getLogger(__name__)


class Belt:
    """One rollout's sessions, each opened with its first call. For one thread at a time."""

    def __init__(self, tools: Mapping[str, Tool]) -> None:
        self._tools = tools
        self._sessions: dict[str, ToolSession] = {}

    def call(self, name: str, arguments: str) -> ToolResult:
        """Call a tool with arguments as the policy wrote them; never raises.

        What the policy did wrong is told to it. What the tool does wrong is logged and is an `infra_error`.
        """
        if name not in self._tools:
            return ToolResult(f"error: there is no tool {name}; there is {', '.join(self._tools)}", "error")
        parsed = _parsed(arguments)
        if isinstance(parsed, str):
            return ToolResult(f"error: {parsed}", "error")
        try:
            if name not in self._sessions:
                self._sessions[name] = self._tools[name].open()
            return self._sessions[name].call(parsed)
        except Exception as error:  # whatever a tool raises ends this rollout, not the run
            log.exception("the tool %s failed", name)
            return ToolResult(f"{type(error).__name__}: {error}", "infra_error")

    def close(self) -> None:
        """Close every session. Idempotent."""
        while self._sessions:
            name, session = self._sessions.popitem()
            try:
                session.close()
            except Exception:  # the others must be closed too
                log.exception("a session of the tool %s could not be closed", name)


class Places:
    """How many more rollouts may use each tool.

    A rollout takes a place of all its tools at once and keeps them until it ends: whoever has places waits for nobody,
    so that all come to an end.
    """

    def __init__(self, tools: Mapping[str, Tool]) -> None:
        self._free = Counter({name: tool.sessions for name, tool in tools.items()})

    def take(self, tools: Mapping[str, Tool]) -> bool:
        """Take a place of each of `tools`, or none where one has none left."""
        if not all(self._free[name] > 0 for name in tools):
            return False
        self._free.subtract(dict.fromkeys(tools, 1))
        return True

    def give_back(self, tools: Mapping[str, Tool]) -> None:
        """Give the places of one rollout back."""
        self._free.update(dict.fromkeys(tools, 1))


def _parsed(arguments: str) -> Mapping[str, Any] | str:
    """The arguments as an object, or what is wrong with them."""
    try:
        value = json.loads(arguments or "{}")
    except (ValueError, RecursionError) as error:
        return f"the arguments are no JSON ({type(error).__name__})"
    return value if isinstance(value, dict) else "the arguments must be a JSON object"
