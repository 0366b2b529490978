"""This rank's rollouts of a step, and the micro-batches that they are computed in."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count

from torch import Tensor

from rlpt.collectives import largest
from rlpt.policy.packing import PackedBatch, pack
from rlpt.records import Group, Rollout

Numbered = Sequence[Sequence[tuple[int, Rollout]]]
"""Rollouts group by group, each with its number in the step."""


def number(groups: Sequence[Group]) -> list[list[tuple[int, Rollout]]]:
    """The rollouts of each group, each with its number in the step."""
    numbers = count()
    return [[(next(numbers), rollout) for rollout in group.rollouts] for group in groups]


def micro_batches(rollouts: Numbered, chosen: Tensor, tokens: int) -> list[PackedBatch]:
    """The chosen rollouts in micro-batches of `tokens`: as many on every rank, or collectives would hang.

    `chosen [N]` is a flag for each rollout of the step. All ranks must call this together.
    """
    groups = [[(index, rollout) for index, rollout in group if chosen[index]] for group in rollouts]
    batches = pack(groups, tokens)
    missing = largest(len(batches)) - len(batches)
    return batches + [PackedBatch.idle()] * missing
