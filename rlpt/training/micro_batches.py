"""This rank's rollouts of a step, and the micro-batches that they are computed in."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count

from torch import Tensor

from rlpt.collectives import largest, rank, world_size
from rlpt.policy.balance import groups_of
from rlpt.policy.packing import Numbered, PackedBatch, pack
from rlpt.records import Group


def own_rollouts(groups: Sequence[Group], chosen: Tensor, update: Tensor) -> list[Numbered]:
    """The chosen rollouts that this rank computes, group by group, each with its number in the step.

    Every update has like amounts of work on every rank. `chosen [N]` and `update [N]`: a flag and the number of the
    update, for each rollout of the step.
    """
    parts: dict[int, list[Numbered]] = {}
    for group in _chosen(_number(groups), chosen):
        parts.setdefault(int(update[group[0][0]]), []).append(group)
    return [group for part in parts.values() for group in groups_of(rank(), part, world_size())]


def micro_batches(rollouts: Sequence[Numbered], chosen: Tensor, tokens: int) -> list[PackedBatch]:
    """The chosen rollouts in micro-batches of `tokens`: as many on every rank, or collectives would hang.

    `chosen [N]` is a flag for each rollout of the step. All ranks must call this together.
    """
    batches = pack(_chosen(rollouts, chosen), tokens)
    missing = largest(len(batches)) - len(batches)
    return batches + [PackedBatch.idle()] * missing


def _number(groups: Sequence[Group]) -> list[Numbered]:
    numbers = count()
    return [[(next(numbers), rollout) for rollout in group.rollouts] for group in groups]


def _chosen(rollouts: Sequence[Numbered], chosen: Tensor) -> list[Numbered]:
    """Without groups of which nothing is left."""
    parts = [[(index, rollout) for index, rollout in group if chosen[index]] for group in rollouts]
    return [part for part in parts if part]
