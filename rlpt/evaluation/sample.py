"""One scored answer of an evaluation: a row of `evaluations/step-*.parquet`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

from rlpt.records import Group, Message
from rlpt.tracking.samples import prompt_text


@dataclass(frozen=True, slots=True)
class Sample:
    """One answer to one task. `index` counts the answers to a task; `tokens` is the length of the answer.

    `messages`: see Rollout; `answer`: see Verdict.
    """

    domain: str
    task_id: str
    index: int
    prompt: str
    text: str
    reward: float | None
    status: str
    detail: str = ""
    parts: Mapping[str, float] = field(default_factory=dict)
    tokens: int = 0
    finish_reason: str = "stop"
    messages: Sequence[Message] = ()
    answer: str | None = None

    @property
    def format(self) -> float | None:
        """The verdict's `format` part: 1.0 where the answer had the asked-for form; None where it was not judged."""
        return self.parts.get("format")

    @property
    def truncated(self) -> bool:
        """Whether the answer was cut at its length limit."""
        return self.finish_reason == "length"

    def to_json(self) -> dict[str, Any]:
        """The row as plain values; without messages where there are none."""
        row = {item.name: getattr(self, item.name) for item in fields(self)}
        return row if self.messages else {name: value for name, value in row.items() if name != "messages"}


def sample_from_json(row: Mapping[str, Any]) -> Sample:
    """The Sample of a row; keys that Sample does not have are left out."""
    known = {item.name for item in fields(Sample)}
    return Sample(**{name: value for name, value in row.items() if name in known})


def samples_of(groups: Iterable[Group]) -> list[Sample]:
    """The samples of scored groups, in order. Raises ValueError for a group without verdicts."""
    samples = []
    for group in groups:
        if len(group.verdicts) != len(group.rollouts):
            raise ValueError(f"group {group.group_id} is not scored")
        prompt = prompt_text(group.task)
        for rollout, verdict in zip(group.rollouts, group.verdicts, strict=True):
            samples.append(
                Sample(
                    domain=group.task.domain,
                    task_id=group.task.task_id,
                    index=rollout.index,
                    prompt=prompt,
                    text=rollout.text,
                    reward=verdict.reward,
                    status=verdict.status,
                    detail=verdict.detail,
                    parts=dict(verdict.parts),
                    tokens=rollout.actions,
                    finish_reason=rollout.finish_reason,
                    messages=rollout.messages,
                    answer=verdict.answer,
                )
            )
    return samples
