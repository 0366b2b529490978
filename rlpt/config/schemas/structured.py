"""Schemas of the verifiers of structured answers: `json_schema` and `tool_call`."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from omegaconf import MISSING


class JsonSource(Enum):
    """Where the JSON stands: in the last fenced block, in `<answer>` tags, or it is the whole response."""

    fence = "fence"
    tag = "tag"
    text = "text"


class CallSyntax(Enum):
    """How calls are written: `<tool_call>` blocks, JSON objects, or calls as in Python."""

    hermes = "hermes"
    json = "json"
    python = "python"


@dataclass
class JsonSchema:
    """Arguments of `rlpt.verifiers.json_schema.JsonSchemaVerifier`."""

    _target_: str = MISSING
    source: JsonSource = MISSING
    max_characters: int = MISSING


@dataclass
class ToolCall:
    """Arguments of `rlpt.verifiers.tool_call.ToolCallVerifier`."""

    _target_: str = MISSING
    syntax: list[CallSyntax] = MISSING
    strict_strings: bool = MISSING
    max_characters: int = MISSING


SCHEMAS: dict[str, type] = {"json_schema_verifier_schema": JsonSchema, "tool_call_verifier_schema": ToolCall}
