"""Aggregation: how much each action token weighs in the loss of a step.

Every rule has the signature `(lengths [N]) -> weights [N]`: from the action tokens of each contributing rollout of
the *whole* step, over all ranks and micro-batches, to the weight of each of its tokens. The loss is the plain sum of
token losses times weights, so it does not depend on how rollouts are split. A length of 0 gives weight 0.
"""

from __future__ import annotations

import torch
from torch import Tensor


def token_mean(lengths: Tensor) -> Tensor:
    """Every token weighs the same: `1 / all action tokens`. Source: DAPO (arXiv:2503.14476), equation 12."""
    total = lengths.sum().clamp(min=1).to(torch.float64)
    return _where_any(lengths, 1.0 / total.expand(lengths.shape))


def sequence_mean(lengths: Tensor) -> Tensor:
    """Every rollout weighs the same: `1 / (rollouts * its tokens)`. Source: GRPO (arXiv:2402.03300), equation 3."""
    rollouts = (lengths > 0).sum().clamp(min=1)
    return _where_any(lengths, 1.0 / (rollouts * lengths.clamp(min=1)).to(torch.float64))


def fixed_length(lengths: Tensor, *, tokens: int) -> Tensor:
    """`1 / (rollouts * tokens)` with a constant `tokens`, without length bias. Source: Dr. GRPO (arXiv:2503.20783)."""
    rollouts = (lengths > 0).sum().clamp(min=1)
    return _where_any(lengths, 1.0 / (rollouts * tokens).to(torch.float64).expand(lengths.shape))


def _where_any(lengths: Tensor, weights: Tensor) -> Tensor:
    return weights.where(lengths > 0, 0.0)
