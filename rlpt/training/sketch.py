"""Gradients in a few thousand numbers, from which their scalar products can be told."""

from __future__ import annotations

from functools import cache
from itertools import accumulate

import torch
from torch import Tensor, nn
from torch.nn.functional import pad

from rlpt.collectives import gather, rank

WIDTH = 16381
"""A prime, so that no number gathers one column of a whole matrix."""
_PERIODS = 65521, 65519
"""A place's sign is the product of two that have these periods. Both are primes: of all pairs of places in 4 billion,
none shares both signs, and reading tables is several times cheaper than hashing places."""
_PIECE = 64 * WIDTH
"""Places that are signed at once."""


class Sketch:
    """A count sketch of a network's gradient: place i of it goes, with a random sign, to number i modulo `WIDTH`.

    The scalar product of two sketches is that of the gradients without bias, and a cosine is off by about
    `1 / sqrt(WIDTH)`, 0.008 (Charikar, Chen, Farach-Colton, "Finding frequent items in data streams", 2002). What is
    kept of a gradient does not grow with the model, and sketches of the ranks' parts add up to that of the whole:
    a place has its sign from its number among all, which is the same for every number of ranks.
    """

    def __init__(self, network: nn.Module) -> None:
        """`network` may be sharded by FSDP2: by rows, in the order of ranks. All ranks must call this together."""
        self._parameters = list(network.parameters())
        sizes = [parameter.numel() for parameter in self._parameters]
        of_ranks = gather([_local(parameter).numel() for parameter in self._parameters])
        lower = [sum(parts[: rank()]) for parts in zip(*of_ranks, strict=True)]
        self._starts = [sum(pair) for pair in zip(accumulate(sizes[:-1], initial=0), lower, strict=True)]

    def take(self) -> Tensor:
        """`[WIDTH]`, float64 on the CPU: of this rank's part of the gradient that is on the network now."""
        found = torch.zeros(WIDTH, dtype=torch.float64)
        for parameter, start in zip(self._parameters, self._starts, strict=True):
            if parameter.grad is not None:
                found += sketch(_local(parameter.grad).flatten(), start).cpu()
        return found


def sketch(values: Tensor, start: int) -> Tensor:
    """`[WIDTH]` (float64): of `values [N]` at the places from `start` on."""
    found = torch.zeros(WIDTH, dtype=torch.float64, device=values.device)
    tables = _sign_tables(values.device)
    for piece in values.detach().float().split(_PIECE):
        one, other = (table[start % period :][: len(piece)] for table, period in zip(tables, _PERIODS, strict=True))
        front = start % WIDTH
        signed = pad(piece * one * other, (front, -(front + len(piece)) % WIDTH))
        found += signed.view(-1, WIDTH).sum(0)
        start += len(piece)
    return found


@cache
def _sign_tables(device: torch.device) -> tuple[Tensor, ...]:
    """For each period, random signs that come again after it, for a piece that begins anywhere in it."""
    generator = torch.Generator().manual_seed(0)
    tables = (torch.randint(2, (period,), generator=generator).float() * 2.0 - 1.0 for period in _PERIODS)
    return tuple(table.repeat(_PIECE // len(table) + 2).to(device) for table in tables)


def _local(tensor: Tensor) -> Tensor:
    """This rank's part."""
    from torch.distributed.tensor import DTensor

    return tensor.to_local() if isinstance(tensor, DTensor) else tensor
