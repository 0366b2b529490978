"""From the `tool` group of a config to tools, or to their descriptions alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rlpt.config.build import build
from rlpt.errors import UserError
from rlpt.tools.protocol import Tool


def build_tools(nodes: Mapping[str, Mapping[str, Any]]) -> dict[str, Tool]:
    """Build tools by name from their resolved configurations, plain values with `_target_`.

    Raises:
        UserError: as a tool raises it, or where a tool describes itself under another name than its key or may be used
            by no rollout.
    """
    # Arguments stay plain values: what they hold with a _target_ of its own, such as a sandbox, a tool builds itself,
    # so that one that is only described starts nothing.
    tools: dict[str, Tool] = {
        key: build({"_recursive_": False, "_convert_": "all", **node}) for key, node in nodes.items()
    }
    for key, tool in tools.items():
        _check(key, tool)
    return tools


def describe_tools(nodes: Mapping[str, Mapping[str, Any]]) -> dict[str, Mapping[str, Any]]:
    """The schemas of tools by name; see `build_tools`."""
    return {key: tool.schema() for key, tool in build_tools(nodes).items()}


def _check(key: str, tool: Tool) -> None:
    if tool.sessions < 1:
        raise UserError(f"tool.{key}.sessions={tool.sessions} lets no rollout use the tool; set it to 1 or more.")
    function = tool.schema().get("function")
    name = function.get("name") if isinstance(function, Mapping) else None
    if name != key:
        raise UserError(
            f"tool.{key} describes itself under the name {name!r}; its schema() must return "
            f'{{"type": "function", "function": {{"name": "{key}", ...}}}}.'
        )
