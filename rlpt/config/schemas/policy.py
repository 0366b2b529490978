"""Schema of the group `policy`: the model being trained or evaluated."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Any

from omegaconf import MISSING


class Precision(Enum):
    """Compute precision in the trainer and the engine. The trainer's master weights are float32 in each of them.

    `auto` is bfloat16 where the hardware multiplies it natively, float32 elsewhere.
    """

    auto = "auto"
    bfloat16 = "bfloat16"
    float32 = "float32"


@dataclass
class Policy:
    """`source` names a function that returns the model's folder (Hugging Face layout), and its arguments.

    `tool_parser` is vLLM's name of the way in which the model writes tool calls; `chat_template` a file that replaces
    the folder's own template.
    """

    source: dict[str, Any] = MISSING
    name: str = MISSING
    dtype: Precision = MISSING
    context_length: int = MISSING
    tool_parser: str | None = MISSING
    chat_template: str | None = MISSING


@dataclass
class BundledPolicy(Policy):
    """A model that comes with rlpt, so that its longest context is known before it is loaded."""

    max_context_length: int = MISSING


@dataclass
class FolderPolicy(Policy):
    """A model that the user names by folder or by name."""

    path: str = MISSING


@dataclass
class StepPolicy(FolderPolicy):
    """The policy of a step of a run: `path` is the run directory."""

    step: Any = MISSING


SCHEMAS: dict[str, type] = {
    "policy_schema": Policy,
    "bundled_policy_schema": BundledPolicy,
    "folder_policy_schema": FolderPolicy,
    "step_policy_schema": StepPolicy,
}
