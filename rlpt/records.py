"""The four records that travel through rlpt: Task -> Rollout -> Verdict, gathered in a Group.

They are plain frozen dataclasses without tensors, so that every part of rlpt can import them without
importing torch, and so that they cross process borders and land in files unchanged.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

Message = Mapping[str, str]
"""One chat message: `{"role": "user" | "assistant" | "system" | "tool", "content": text}`.

A tool's message also has its `name` and the `status` of the call: `ok`, `error` or `infra_error`.
"""

Split = Literal["train", "validation", "test"]

Status = Literal[
    "correct",
    "wrong",
    "timeout",
    "out_of_memory",
    "output_limit",
    "crash",
    "infra_error",
    "suspicious",
]

FinishReason = Literal["stop", "length", "abort"]


@dataclass(frozen=True, slots=True)
class Task:
    """One problem of one domain.

    `task_id` is unique within its domain and says the same problem in every process and every run.
    `reference` is what the verifier needs to judge an answer; it never enters a prompt, nor a process in which a
    model's program runs.
    """

    domain: str
    task_id: str
    messages: Sequence[Message]
    reference: Mapping[str, Any]
    difficulty: float | None = None


@dataclass(frozen=True, slots=True)
class Rollout:
    """One sampled trajectory of a Task, exactly as the engine returned it.

    `token_ids`, `logprobs`, `action_mask` and `versions` have one entry for each token after the prompt.
    `logprobs` are natural-log probabilities under the sampling distribution (temperature applied).
    `action_mask` is 1 where the policy wrote the token and 0 where a tool or the environment did.
    `versions` is the policy version that wrote each token. `text` is the decoded completion, special tokens
    left out; it is for verifiers and readers and is never encoded again. Of several turns it is the last one alone, so
    that what a tool said is never taken for the answer. `messages` is what was said after the prompt, the policy's
    turns and the tools' in order, for readers; empty in a domain without tools. A rollout that a tool's failure ended
    has the finish reason `abort`, and its last messages say what failed.
    """

    task_id: str
    group_id: str
    index: int
    prompt_ids: Sequence[int]
    token_ids: Sequence[int]
    logprobs: Sequence[float]
    action_mask: Sequence[int]
    versions: Sequence[int]
    finish_reason: FinishReason
    text: str
    messages: Sequence[Message] = ()

    def __post_init__(self) -> None:
        lengths = {len(self.token_ids), len(self.logprobs), len(self.action_mask), len(self.versions)}
        if len(lengths) != 1:
            raise ValueError(
                f"rollout {self.group_id}/{self.index}: token_ids, logprobs, action_mask and versions differ in "
                f"length: {sorted(lengths)}"
            )

    @property
    def actions(self) -> int:
        """Tokens that the policy wrote."""
        return sum(self.action_mask)


@dataclass(frozen=True, slots=True)
class Credit:
    """A reward for a part of a rollout: what the policy wrote of its turn number `turn` (the first is 0) up to `end`.

    `end` counts characters of the turn's text; None = all of it. `token` is the number of the action token, in the
    whole rollout, at which the reward is earned; rlpt finds it.
    """

    turn: int
    reward: float
    end: int | None = None
    token: int | None = None


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a verifier says of one Rollout.

    `reward` is None where the rollout could not be scored: it then contributes nothing, which is never the same
    as a reward of 0. `parts` holds named sub-scores in [0, 1]; `format` is 1.0 where the answer had the asked-for
    form, whatever its content. `detail` is one line for a person. `credits` are rewards for parts of the rollout,
    besides `reward`, which is for the whole. `answer` is what was answered, written so that the same answers are the
    same text, "" where nothing was; None where the verifier has no single answer to compare.
    """

    reward: float | None
    status: Status
    detail: str = ""
    parts: Mapping[str, float] = field(default_factory=dict)
    credits: Sequence[Credit] = ()
    answer: str | None = None


def verdict_from_json(values: Mapping[str, Any]) -> Verdict:
    """A verdict from its fields as plain values; what older files lack has its default."""
    return Verdict(**{**values, "credits": tuple(Credit(**credit) for credit in values.get("credits", ()))})


@dataclass(frozen=True, slots=True)
class Group:
    """A Task with its rollouts and, once scored, one Verdict for each of them, in order.

    `greedy` is a rollout without chance, for a baseline: it is not trained on.
    """

    group_id: str
    task: Task
    rollouts: Sequence[Rollout]
    verdicts: Sequence[Verdict] = ()
    greedy: Rollout | None = None
    greedy_verdict: Verdict | None = None

    def __post_init__(self) -> None:
        if self.verdicts and len(self.verdicts) != len(self.rollouts):
            raise ValueError(
                f"group {self.group_id}: {len(self.verdicts)} verdicts for {len(self.rollouts)} rollouts; "
                "there must be one for each"
            )
        if any(rollout.group_id != self.group_id for rollout in self.rollouts):
            raise ValueError(f"group {self.group_id} holds a rollout of another group")
