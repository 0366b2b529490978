"""A rollout in the making: what the policy and its tools have written so far."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from rlpt.records import FinishReason, Message, Rollout, Task
from rlpt.samplers.protocol import Request, Sample, ToolCall
from rlpt.tools.belt import Belt
from rlpt.tools.protocol import Tool, ToolResult

Encode = Callable[[Sequence[Message]], list[int]]
Decode = Callable[[Sequence[int]], str]
Answered = Sequence[tuple[ToolCall, ToolResult]]


@dataclass(frozen=True, slots=True)
class Environment:
    """What the policy may do between its turns in the tasks of one domain.

    Attributes:
        tools: by name.
        max_turns: the most turns of the policy.
        max_calls: calls of one turn that are answered; others are left out.
        context_length: most tokens of prompt and everything after it together.
        encode: a prompt's token ids, the tools shown in it.
        reply: token ids of what the tools said, from after the policy's end-of-turn token up to its next turn.
        transcribe: a turn's text for readers, tool calls with their marks.
    """

    tools: Mapping[str, Tool]
    max_turns: int
    max_calls: int
    context_length: int
    encode: Encode
    reply: Callable[[Sequence[tuple[ToolCall, str]]], list[int]]
    transcribe: Decode

    def schemas(self) -> list[Mapping[str, Any]]:
        """Of the tools, as the policy is shown them."""
        return [tool.schema() for tool in self.tools.values()]


@dataclass(slots=True)
class Trail:
    """One rollout in the making.

    `left`: tokens that the policy may still write. `environment`: None where the rollout has one turn. `greedy`: it is
    written without chance. `context_length`: most tokens with the prompt, where there is no environment to say it.
    `in_turn`: the last turn goes on with the next sample.
    """

    task: Task
    group_id: str
    index: int
    prompt_ids: list[int]
    left: int
    environment: Environment | None
    greedy: bool = False
    context_length: int | None = None
    token_ids: list[int] = field(default_factory=list)
    logprobs: list[float] = field(default_factory=list)
    action_mask: list[int] = field(default_factory=list)
    versions: list[int] = field(default_factory=list)
    messages: list[Message] = field(default_factory=list)
    turns: int = 0
    turn_start: int = 0
    in_turn: bool = False
    finish_reason: FinishReason | None = None
    calls: Sequence[ToolCall] = ()
    belt: Belt | None = None

    @property
    def turn(self) -> list[int]:
        """The policy's last turn."""
        return self.token_ids[self.turn_start :]

    def add_turn(self, sample: Sample, asked: int) -> None:
        """Take what the policy wrote when `asked` for so many tokens: a turn, or part of one.

        The turn goes on where the policy wrote all that it was asked for and may write more; the rollout goes on where
        the policy ended the turn and may have another.
        """
        if not self.in_turn:
            self.turn_start = len(self.token_ids)
        most = self._most
        self._add(sample.token_ids, sample.logprobs, 1, sample.version)
        self.left -= len(sample.token_ids)
        self.in_turn = sample.finish_reason == "length" and len(sample.token_ids) == asked < most
        if self.in_turn:
            return
        self.turns += 1
        if self.environment is not None:
            self.messages.append({"role": "assistant", "content": self.environment.transcribe(sample.token_ids)})
        if sample.finish_reason != "stop" or self.environment is None or self.turns >= self.environment.max_turns:
            self.finish_reason = sample.finish_reason

    def add_replies(self, answered: Answered) -> None:
        """Take what the tools said to the calls of the last turn.

        The rollout ends here where a tool failed, and where no room is left for another turn.
        """
        assert self.environment is not None
        replies: list[Message] = [
            {"role": "tool", "name": call.name, "content": result.text, "status": result.status}
            for call, result in answered
        ]
        if any(result.status == "infra_error" for _, result in answered):
            self.messages += replies
            self.finish_reason = "abort"
            return
        token_ids = self.environment.reply([(call, result.text) for call, result in answered])
        self.messages += replies  # readers and verifiers see them also where the policy no longer does
        if min(self.left, self._room - len(token_ids)) < 1:
            self.finish_reason = "length"
            return
        self._add(token_ids, [0.0] * len(token_ids), 0, self.versions[-1])

    def request(self, n: int, tokens: int | None = None) -> Request:
        """The policy's next turn, or the rest of it, in `n` versions; at most so many `tokens` of it."""
        most = self._most if tokens is None else min(self._most, tokens)
        return Request([*self.prompt_ids, *self.token_ids], n, most, self.greedy)

    def rollout(self, decode: Decode) -> Rollout:
        """The finished rollout."""
        assert self.finish_reason is not None
        return Rollout(
            task_id=self.task.task_id,
            group_id=self.group_id,
            index=self.index,
            prompt_ids=self.prompt_ids,
            token_ids=self.token_ids,
            logprobs=self.logprobs,
            action_mask=self.action_mask,
            versions=self.versions,
            finish_reason=self.finish_reason,
            text=decode(self.turn),
            messages=tuple(self.messages),
        )

    @property
    def _most(self) -> int:
        """Tokens that the policy may write now."""
        return min(self.left, self._room)

    @property
    def _room(self) -> int:
        """Tokens that the context still holds."""
        most = self.context_length if self.environment is None else self.environment.context_length
        return self.left if most is None else most - len(self.prompt_ids) - len(self.token_ids)

    def _add(self, token_ids: Sequence[int], logprobs: Sequence[float], action: int, version: int) -> None:
        self.token_ids += token_ids
        self.logprobs += logprobs
        self.action_mask += [action] * len(token_ids)
        self.versions += [version] * len(token_ids)
