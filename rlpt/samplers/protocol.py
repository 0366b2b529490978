"""What the trainer asks of an inference engine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from rlpt.records import FinishReason


@dataclass(frozen=True, slots=True)
class Request:
    """`n` independent samples of at most `max_new_tokens` tokens each after the prompt `prompt_ids`.

    `greedy`: the likeliest token each time; log-probabilities then say nothing.
    """

    prompt_ids: Sequence[int]
    n: int
    max_new_tokens: int
    greedy: bool = False


@dataclass(frozen=True, slots=True)
class Sample:
    """One completion as the engine returned it. `logprobs` are those of the sampled tokens, temperature applied.

    `token_ids` holds the end-of-sequence token where the model wrote one: it is an action like any other.
    """

    token_ids: list[int]
    logprobs: list[float]
    finish_reason: FinishReason
    version: int


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call as the policy wrote it: `arguments` is its JSON text, whatever that is worth."""

    call_id: str
    name: str
    arguments: str


class SamplerError(RuntimeError):
    """The engine died, hung or refused a request. The message says which and where its log lies."""


class Sampler(Protocol):
    """An inference engine that holds one numbered version of the policy."""

    @property
    def version(self) -> int:
        """The policy version that the engine holds."""
        ...

    def sample(self, requests: Sequence[Request], seed: int) -> list[list[Sample]]:
        """Return `requests[i].n` samples for each request, in order. The same seed gives the same samples."""
        ...

    def tool_calls(self, turns: Sequence[Sequence[int]], tools: Sequence[Mapping[str, Any]]) -> list[list[ToolCall]]:
        """Find the tool calls in turns that the engine wrote, one list for each turn, in order.

        Args:
            turns: token ids of whole turns, their end-of-turn token included.
            tools: schemas of the tools that the policy was shown.
        """
        ...

    def load(self, weights: Path, version: int) -> None:
        """Take the weights of a safetensors file as policy `version` and forget every cached prefix."""
        ...

    def close(self) -> None:
        """End the engine. May be called twice."""
        ...
