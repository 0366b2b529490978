"""What ranks tell each other. Every function works alone too, without a process group."""

from __future__ import annotations

from itertools import zip_longest
from typing import Any, TypeVar

import torch.distributed as dist

T = TypeVar("T")


def rank() -> int:
    """Number of this rank."""
    return dist.get_rank() if dist.is_initialized() else 0


def world_size() -> int:
    """Number of ranks."""
    return dist.get_world_size() if dist.is_initialized() else 1


def barrier() -> None:
    """Wait for all ranks."""
    if world_size() > 1:
        dist.barrier()


def gather(value: T) -> list[T]:
    """`value` of every rank, in rank order, on every rank."""
    if world_size() == 1:
        return [value]
    values: list[Any] = [None] * world_size()
    dist.all_gather_object(values, value)
    return values


def share(items: list[T]) -> list[T]:
    """The items of this rank: every world-size-th, so that each rank gets a like mix."""
    return items[rank() :: world_size()]


def unshare(items: list[T]) -> list[T]:
    """Undo `share`: the items of all ranks in their first order, on every rank; ranks may have lost some on the way."""
    return take_turns(gather(items))


def take_turns(parts: list[list[T]]) -> list[T]:
    """The first item of each part, the second of each that has one, and so on."""
    rows = zip_longest(*([(item,) for item in part] for part in parts), fillvalue=())
    return [item for row in rows for place in row for item in place]


def largest(value: int) -> int:
    """The largest value of all ranks."""
    return max(gather(value))


def any_rank(flag: bool) -> bool:
    """Whether the flag is set on any rank."""
    return any(gather(flag))
