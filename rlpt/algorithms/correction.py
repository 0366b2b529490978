"""Off-policy correction: weights for tokens that another program (the engine) sampled than the one that trains.

Signature `(old [K], engine [K]) -> weights [K]`, both log-probabilities of the sampled tokens, no gradient.
Source: Yao et al., "Your efficient RL framework secretly brings you off-policy RL training" (2025).
"""

from __future__ import annotations

import torch
from torch import Tensor

MAX_LOG_RATIO = 20.0


def truncated(old: Tensor, engine: Tensor, *, cap: float = 2.0) -> Tensor:
    """Truncated importance sampling: `min(exp(old - engine), cap)` for each token."""
    return (old - engine).clamp(-MAX_LOG_RATIO, MAX_LOG_RATIO).exp().clamp(max=cap)


def masked(old: Tensor, engine: Tensor, *, cap: float = 2.0) -> Tensor:
    """Masked importance sampling: as truncated, but a token beyond the cap (or 1 / cap) weighs nothing."""
    ratio = (old - engine).clamp(-MAX_LOG_RATIO, MAX_LOG_RATIO).exp()
    return ratio.where((ratio <= cap) & (ratio >= 1.0 / cap), 0.0)


def none(old: Tensor, engine: Tensor) -> Tensor:
    """Every token weighs 1: the engine is taken for the trainer."""
    return torch.ones_like(old)
