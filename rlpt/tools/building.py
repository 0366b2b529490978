"""From the `tool` group of a config to tools, or to their descriptions alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hydra.errors import InstantiationException
from hydra.utils import instantiate

from rlpt.errors import UserError
from rlpt.tools.protocol import Tool


def build_tools(nodes: Mapping[str, Mapping[str, Any]]) -> dict[str, Tool]:
    """Build tools by name from their resolved configurations, plain values with `_target_`.

    Raises:
        UserError: as a tool raises it, or where a tool describes itself under another name than its key.
    """
    tools: dict[str, Tool] = {}
    for key, node in nodes.items():
        try:
            tools[key] = instantiate(dict(node), _convert_="all")
        except InstantiationException as error:
            if isinstance(error.__cause__, UserError):  # Hydra wraps what a constructor raises.
                raise error.__cause__ from None
            raise
        _check(key, tools[key])
    return tools


def describe_tools(nodes: Mapping[str, Mapping[str, Any]]) -> dict[str, Mapping[str, Any]]:
    """The schemas of tools by name; no sandbox is started for them."""
    bare = {key: {**node, "sandbox": None} if "sandbox" in node else node for key, node in nodes.items()}
    return {key: tool.schema() for key, tool in build_tools(bare).items()}


def _check(key: str, tool: Tool) -> None:
    function = tool.schema().get("function")
    name = function.get("name") if isinstance(function, Mapping) else None
    if name != key:
        raise UserError(
            f"tool.{key} describes itself under the name {name!r}; its schema() must return "
            f'{{"type": "function", "function": {{"name": "{key}", ...}}}}.'
        )
