"""What a tool is: the policy calls it in a turn, and what it says is put before the policy's next turn."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, Protocol

ToolStatus = Literal["ok", "error", "infra_error"]


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What one call came to.

    `text` is for the policy. `status`: `ok`: it did what was asked. `error`: it could not, for a reason that lies in
    the call and that the text tells. `infra_error`: the tool itself failed, which says nothing about the policy: the
    rollout ends without a reward.
    """

    text: str
    status: ToolStatus = "ok"


class ToolSession(Protocol):
    """One rollout's use of a tool. Nothing of it is seen by another rollout."""

    def call(self, arguments: Mapping[str, Any]) -> ToolResult:
        """Answer one call. May be slow: calls of several rollouts run at once, those of one never do.

        `arguments` is what the policy wrote, any JSON object: whether it fits the schema is for the tool to say, with
        the status `error`. What this raises counts as `infra_error`.
        """
        ...

    def close(self) -> None:
        """End it. Called once the rollout has ended, however it did. Idempotent."""
        ...


class Tool(Protocol):
    """Something that the policy can call."""

    @property
    def sessions(self) -> int:
        """How many rollouts of one rank may use it at once, 1 or more; others wait."""
        ...

    def schema(self) -> Mapping[str, Any]:
        """Describe it to the model, in the OpenAI format: `{"type": "function", "function": {"name": ..., ...}}`."""
        ...

    def open(self) -> ToolSession:
        """Begin one rollout's use. Works from any thread."""
        ...

    def close(self) -> None:
        """End everything that it holds. Idempotent."""
        ...
