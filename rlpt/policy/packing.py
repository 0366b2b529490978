"""Packing: rollouts of one step -> micro-batches without padding, each prompt computed once for its whole group.

A micro-batch is one row of tokens. It holds segments: a prompt, then its completions one after the other. A
completion sees its own tokens and its prompt, nothing else, and its positions go on from the prompt's end, so each
token gets the same numbers as in a row of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor

from rlpt.records import Rollout


@dataclass(frozen=True, slots=True)
class PackedBatch:
    """One micro-batch of `T` tokens, `K` of them written by the policy.

    `input_ids [T]`, `position_ids [T]`, `mask [T, T]` (bool, True where row may see column), `block_lengths`: of each
    prompt together with its completions; no token sees another block. For each action token:
    `logit_index [K]`, the row whose logits predict it; `targets [K]`, its id; `engine [K]`, the engine's
    log-probability; `rollout [K]`, the number of its rollout in the step.
    """

    input_ids: Tensor
    position_ids: Tensor
    mask: Tensor
    block_lengths: tuple[int, ...]
    logit_index: Tensor
    targets: Tensor
    engine: Tensor
    rollout: Tensor

    def to(self, device: torch.device) -> PackedBatch:
        """The same batch on `device`."""
        values: dict[str, Any] = {name: getattr(self, name) for name in self.__slots__}
        for name, value in values.items():
            values[name] = value.to(device) if isinstance(value, Tensor) else value
        return PackedBatch(**values)

    @classmethod
    def idle(cls, prompt_ids: Sequence[int]) -> PackedBatch:
        """A micro-batch without action tokens, for a rank that has fewer micro-batches than another."""
        ids = torch.tensor(list(prompt_ids))
        nothing = torch.zeros(0, dtype=torch.long)
        return cls(
            input_ids=ids,
            position_ids=torch.arange(len(ids)),
            mask=torch.ones(len(ids), len(ids), dtype=torch.bool).tril(),
            block_lengths=(len(ids),),
            logit_index=nothing,
            targets=nothing,
            engine=nothing.float(),
            rollout=nothing,
        )


@dataclass(slots=True)
class _Row:
    """A micro-batch under construction."""

    ids: list[int] = field(default_factory=list)
    positions: list[int] = field(default_factory=list)
    segment: list[int] = field(default_factory=list)  # per token: number of its segment
    parent: list[int] = field(default_factory=list)  # per segment: the segment of its prompt (itself for a prompt)
    logit_index: list[int] = field(default_factory=list)
    targets: list[int] = field(default_factory=list)
    engine: list[float] = field(default_factory=list)
    rollout: list[int] = field(default_factory=list)

    def add_prompt(self, prompt_ids: Sequence[int]) -> int:
        number = len(self.parent)
        self.parent.append(number)
        self._add_tokens(prompt_ids, 0, number)
        return number

    def add_completion(self, prompt: int, prompt_end: int, prompt_length: int, number: int, rollout: Rollout) -> None:
        segment, start = len(self.parent), len(self.ids)
        self.parent.append(prompt)
        # The last token predicts nothing that is trained on, so it need not be computed.
        self._add_tokens(rollout.token_ids[:-1], prompt_length, segment)
        for offset, (token, action) in enumerate(zip(rollout.token_ids, rollout.action_mask, strict=True)):
            if action:
                self.logit_index.append(start + offset - 1 if offset else prompt_end)
                self.targets.append(token)
                self.engine.append(rollout.logprobs[offset])
                self.rollout.append(number)

    def _add_tokens(self, ids: Sequence[int], first_position: int, segment: int) -> None:
        self.ids.extend(ids)
        self.positions.extend(range(first_position, first_position + len(ids)))
        self.segment.extend([segment] * len(ids))

    def finish(self) -> PackedBatch:
        segment = torch.tensor(self.segment)
        parent = torch.tensor(self.parent)[segment]
        same = segment[:, None] == segment[None, :]
        prompt = parent[:, None] == segment[None, :]
        return PackedBatch(
            input_ids=torch.tensor(self.ids),
            position_ids=torch.tensor(self.positions),
            mask=(same | prompt).tril(),
            block_lengths=tuple(torch.unique_consecutive(parent, return_counts=True)[1].tolist()),
            logit_index=torch.tensor(self.logit_index, dtype=torch.long),
            targets=torch.tensor(self.targets, dtype=torch.long),
            engine=torch.tensor(self.engine, dtype=torch.float32),
            rollout=torch.tensor(self.rollout, dtype=torch.long),
        )


def pack(groups: Iterable[Sequence[tuple[int, Rollout]]], tokens_per_micro_batch: int) -> list[PackedBatch]:
    """Fill micro-batches with numbered rollouts, group by group; the rollouts of a group share their prompt.

    A micro-batch exceeds `tokens_per_micro_batch` only where a single prompt and completion do. Rollouts without
    action tokens are left out. The order is kept.
    """
    return [row.finish() for row in _rows(groups, tokens_per_micro_batch)]


def _rows(groups: Iterable[Sequence[tuple[int, Rollout]]], budget: int) -> Iterator[_Row]:
    row = _Row()
    for group in groups:
        prompt: int | None = None
        prompt_end = 0
        for number, rollout in group:
            if not any(rollout.action_mask):
                continue
            needed = len(rollout.token_ids) - 1 + (len(rollout.prompt_ids) if prompt is None else 0)
            if row.ids and len(row.ids) + needed > budget:
                yield row
                row, prompt = _Row(), None
            if prompt is None:
                prompt = row.add_prompt(rollout.prompt_ids)
                prompt_end = len(row.ids) - 1
            row.add_completion(prompt, prompt_end, len(rollout.prompt_ids), number, rollout)
    if row.ids:
        yield row
