"""Policy losses: one value for each action token, before weighting.

Every loss has the signature `(new [K], old [K], advantages [K]) -> TokenLoss`, where `new` are the log-probabilities
of the policy being updated, `old` those of the policy at the start of the step (no gradient) and `advantages` the
advantage of each token.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

MAX_LOG_RATIO = 20.0
"""Log-ratios are clamped to this before exp; e^20 is far beyond any clip and still finite in fp32."""


@dataclass(frozen=True, slots=True)
class TokenLoss:
    """`loss [K]` with gradient, and `clipped [K]`: 1 where the clip took the gradient away."""

    loss: Tensor
    clipped: Tensor


def clipped_ratio(
    new: Tensor, old: Tensor, advantages: Tensor, *, clip_low: float = 0.2, clip_high: float = 0.2
) -> TokenLoss:
    """`-min(ratio * A, clip(ratio, 1 - clip_low, 1 + clip_high) * A)`.

    Source: PPO (arXiv:1707.06347), equation 7; separate bounds: DAPO (arXiv:2503.14476), equation 10.
    """
    ratio = (new - old).clamp(-MAX_LOG_RATIO, MAX_LOG_RATIO).exp()
    free = ratio * advantages
    bounded = ratio.clamp(1.0 - clip_low, 1.0 + clip_high) * advantages
    return TokenLoss(-torch.minimum(free, bounded), (bounded < free).to(new.dtype))


def reinforce(new: Tensor, old: Tensor, advantages: Tensor) -> TokenLoss:
    """`-log pi * A`, the plain policy gradient. Source: Williams (1992). `old` is not used."""
    return TokenLoss(-new * advantages, torch.zeros_like(new))
