"""Schemas of the group `tool`: what the policy may call. Each tool stands under `tool.<name>`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from omegaconf import MISSING


@dataclass
class Python:
    """Arguments of `rlpt.tools.python.PythonTool`."""

    _target_: str = MISSING
    name: str = MISSING
    description: str = MISSING
    sandbox: Any = MISSING
    sessions: int = MISSING
    max_output_characters: int = MISSING
    files: dict[str, str] = MISSING


SCHEMAS: dict[str, type] = {"python_tool_schema": Python}
