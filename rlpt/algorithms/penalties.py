"""What is taken from a rollout's reward besides the verdict."""

from __future__ import annotations

import torch
from torch import Tensor


def soft_overlong(lengths: Tensor, limits: Tensor, *, buffer: float) -> Tensor:
    """Penalty `[N]` of 0 to 1 for answers that come close to their limit: it grows linearly in the last part of it.

    `((L - (1 - buffer) * limit) / (buffer * limit))`, held between 0 and 1. `lengths [N]` and `limits [N]` are in
    tokens; `buffer` is the share of the limit in which the penalty grows. Source: DAPO (arXiv:2503.14476), equation 13,
    with `limit` = L_max and `buffer * limit` = L_cache.
    """
    limits = limits.to(torch.float64)
    return ((lengths - (1.0 - buffer) * limits) / (buffer * limits)).clamp(0.0, 1.0)
