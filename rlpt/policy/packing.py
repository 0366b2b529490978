"""Packing: rollouts of one step -> micro-batches without padding, each prompt computed once for its whole group.

A micro-batch is one row of tokens. It holds blocks: a prompt, then its completions one after the other. A completion
sees its own tokens and its prompt, nothing else, and its positions go on from the prompt's end, so each token gets the
same numbers as in a row of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor

from rlpt.policy.attention import Block, whole_mask
from rlpt.records import Rollout

Numbered = Sequence[tuple[int, Rollout]]
"""Rollouts of one group, each with its number in the step."""


@dataclass(frozen=True, slots=True)
class PackedBatch:
    """One micro-batch of `T` tokens, `K` of them written by the policy.

    `input_ids [T]`, `position_ids [T]`, `blocks`: lengths of each prompt and of its completions; no token sees another
    block. For each action token: `logit_index [K]`, the row whose logits predict it; `targets [K]`, its id;
    `engine [K]`, the engine's log-probability; `rollout [K]`, the number of its rollout in the step; `versions [K]`,
    the policy version that wrote it.
    """

    input_ids: Tensor
    position_ids: Tensor
    blocks: tuple[Block, ...]
    logit_index: Tensor
    targets: Tensor
    engine: Tensor
    rollout: Tensor
    versions: Tensor

    @property
    def mask(self) -> Tensor:
        """`[T, T]`, True where row may see column: made anew at every call, and as large as it looks."""
        return whole_mask(self.blocks, self.input_ids.device)

    def to(self, device: torch.device) -> PackedBatch:
        """The same batch on `device`."""
        values: dict[str, Any] = {name: getattr(self, name) for name in self.__slots__}
        for name, value in values.items():
            values[name] = value.to(device) if isinstance(value, Tensor) else value
        return PackedBatch(**values)

    @classmethod
    def idle(cls) -> PackedBatch:
        """A micro-batch without action tokens, for a rank that has fewer micro-batches than another."""
        # One token runs through every layer, which is all that the other ranks wait for.
        token, nothing = torch.zeros(1, dtype=torch.long), torch.zeros(0, dtype=torch.long)
        return cls(
            input_ids=token,
            position_ids=token,
            blocks=(Block(1, ()),),
            logit_index=nothing,
            targets=nothing,
            engine=nothing.float(),
            rollout=nothing,
            versions=nothing,
        )


@dataclass(frozen=True, slots=True)
class _Piece:
    """Rollouts of one group that share a prompt in a micro-batch, and the tokens that they take there."""

    rollouts: Numbered
    tokens: int


@dataclass(slots=True)
class _Row:
    """A micro-batch under construction."""

    ids: list[int] = field(default_factory=list)
    positions: list[int] = field(default_factory=list)
    blocks: list[Block] = field(default_factory=list)
    logit_index: list[int] = field(default_factory=list)
    targets: list[int] = field(default_factory=list)
    engine: list[float] = field(default_factory=list)
    rollout: list[int] = field(default_factory=list)
    versions: list[int] = field(default_factory=list)

    def add(self, piece: _Piece) -> None:
        prompt = piece.rollouts[0][1].prompt_ids
        self._add_tokens(prompt, 0)
        prompt_end = len(self.ids) - 1
        for number, rollout in piece.rollouts:
            self._add_completion(prompt_end, len(prompt), number, rollout)
        self.blocks.append(Block(len(prompt), tuple(_computed(rollout) for _, rollout in piece.rollouts)))

    def _add_completion(self, prompt_end: int, prompt_length: int, number: int, rollout: Rollout) -> None:
        start = len(self.ids)
        self._add_tokens(rollout.token_ids[: _computed(rollout)], prompt_length)
        for offset, (token, action) in enumerate(zip(rollout.token_ids, rollout.action_mask, strict=True)):
            if action:
                self.logit_index.append(start + offset - 1 if offset else prompt_end)
                self.targets.append(token)
                self.engine.append(rollout.logprobs[offset])
                self.rollout.append(number)
                self.versions.append(rollout.versions[offset])

    def _add_tokens(self, ids: Sequence[int], first_position: int) -> None:
        self.ids.extend(ids)
        self.positions.extend(range(first_position, first_position + len(ids)))

    def finish(self) -> PackedBatch:
        return PackedBatch(
            input_ids=torch.tensor(self.ids),
            position_ids=torch.tensor(self.positions),
            blocks=tuple(self.blocks),
            logit_index=torch.tensor(self.logit_index, dtype=torch.long),
            targets=torch.tensor(self.targets, dtype=torch.long),
            engine=torch.tensor(self.engine, dtype=torch.float32),
            rollout=torch.tensor(self.rollout, dtype=torch.long),
            versions=torch.tensor(self.versions, dtype=torch.long),
        )


def pack(groups: Iterable[Numbered], tokens_per_micro_batch: int) -> list[PackedBatch]:
    """Fill micro-batches with numbered rollouts; the rollouts of a group share their prompt.

    A micro-batch exceeds `tokens_per_micro_batch` only where a single prompt and completion do. Rollouts without
    action tokens are left out. The longest pieces are placed first, each into the first micro-batch with room for it;
    pieces of one length keep their order.
    """
    pieces = [piece for group in groups for piece in _pieces(group, tokens_per_micro_batch)]
    rows: list[_Row] = []
    for piece in sorted(pieces, key=lambda piece: -piece.tokens):
        row = next((row for row in rows if len(row.ids) + piece.tokens <= tokens_per_micro_batch), None)
        if row is None:
            row = _Row()
            rows.append(row)
        row.add(piece)
    return [row.finish() for row in rows]


def _pieces(group: Numbered, budget: int) -> Iterator[_Piece]:
    """The group in one piece, or in several that each have the prompt, where it is larger than a micro-batch."""
    chosen: list[tuple[int, Rollout]] = []
    tokens = 0
    for number, rollout in group:
        if not any(rollout.action_mask):
            continue
        if chosen and tokens + _computed(rollout) > budget:
            yield _Piece(chosen, tokens)
            chosen = []
        if not chosen:
            tokens = len(rollout.prompt_ids)
        chosen.append((number, rollout))
        tokens += _computed(rollout)
    if chosen:
        yield _Piece(chosen, tokens)


def _computed(rollout: Rollout) -> int:
    """Tokens of a completion that are computed: what follows the last action token predicts nothing trained on."""
    last = max(place for place, action in enumerate(rollout.action_mask) if action)
    return last
