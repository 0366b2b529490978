"""Sums and means over the tokens of each sequence, as tensors of one value a token."""

from __future__ import annotations

import torch
from torch import Tensor


def sequence_sum(values: Tensor, sequences: Tensor) -> Tensor:
    """For each token `[K]`, the sum of `values [K]` over its sequence. `sequences [K]` are numbers from 0 on."""
    size = int(sequences.max()) + 1 if len(sequences) else 0
    totals = torch.zeros(size, dtype=values.dtype, device=values.device).index_add(0, sequences, values)
    return totals[sequences]


def sequence_mean(values: Tensor, sequences: Tensor) -> Tensor:
    """For each token `[K]`, the mean of `values [K]` over its sequence."""
    return sequence_sum(values, sequences) / sequence_sum(torch.ones_like(values), sequences)


def token_index(sequences: Tensor, offsets: Tensor) -> Tensor:
    """The place `[K]` of each token among all tokens of the step, which lie one sequence after the other.

    `sequences [K]`: the number of each token's sequence; the tokens of one stand together, in order and complete.
    `offsets [N + 1]`: where each sequence begins among all tokens.
    """
    place = torch.arange(len(sequences), device=sequences.device)
    begins = torch.ones_like(sequences, dtype=torch.bool)
    begins[1:] = sequences[1:] != sequences[:-1]
    first = place.where(begins, 0).cummax(0).values if len(place) else place
    return offsets[sequences] + place - first


def to_go(values: Tensor, sequences: Tensor) -> Tensor:
    """For each token `[K]`, the sum of `values [K]` from it to the end of its sequence, whose tokens stand together."""
    _, lengths = torch.unique_consecutive(sequences, return_counts=True)
    parts = values.to(torch.float64).split(lengths.tolist())
    # One sum a sequence: out of one over everything, the size of a sequence would round the next one.
    return torch.cat([part.flip(0).cumsum(0).flip(0) for part in parts]) if len(values) else values.to(torch.float64)
