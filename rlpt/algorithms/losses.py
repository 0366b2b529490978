"""Policy losses: one value for each action token, before weighting.

Every loss has the signature `(new [K], old [K], advantages [K], sequences [K]) -> TokenLoss`, where `new` are the
log-probabilities of the policy being updated, `old` those of the policy that is compared with (no gradient),
`advantages` the advantage of each token and `sequences` the number of the rollout that it belongs to. A rollout's
action tokens are all there.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from rlpt.algorithms.sequences import sequence_mean

MAX_LOG_RATIO = 20.0
"""Log-ratios are clamped to this before exp; e^20 is far beyond any clip and still finite in fp32."""


@dataclass(frozen=True, slots=True)
class TokenLoss:
    """`loss [K]` with gradient, and `clipped [K]`: 1 where a bound changed the gradient."""

    loss: Tensor
    clipped: Tensor


def clipped_ratio(
    new: Tensor, old: Tensor, advantages: Tensor, sequences: Tensor, *, clip_low: float = 0.2, clip_high: float = 0.2
) -> TokenLoss:
    """`-min(ratio * A, clip(ratio, 1 - clip_low, 1 + clip_high) * A)`.

    Source: PPO (arXiv:1707.06347), equation 7; separate bounds: DAPO (arXiv:2503.14476), equation 10.
    """
    return _clipped(_ratio(new - old), advantages, clip_low, clip_high)


def dual_clipped_ratio(
    new: Tensor,
    old: Tensor,
    advantages: Tensor,
    sequences: Tensor,
    *,
    clip_low: float = 0.2,
    clip_high: float = 0.2,
    bound: float = 3.0,
) -> TokenLoss:
    """`clipped_ratio`, but where A < 0 the objective is at least `bound * A`: a large ratio gives no large gradient.

    Source: Ye et al., "Mastering complex control in MOBA games" (arXiv:1912.09729), equation 5.
    """
    inner = _clipped(_ratio(new - old), advantages, clip_low, clip_high)
    most = -bound * advantages
    beyond = (advantages < 0) & (inner.loss > most)
    return TokenLoss(inner.loss.where(~beyond, most), torch.maximum(inner.clipped, beyond.to(new.dtype)))


def sequence_ratio(
    new: Tensor, old: Tensor, advantages: Tensor, sequences: Tensor, *, clip_low: float = 3e-4, clip_high: float = 4e-4
) -> TokenLoss:
    """GSPO: as `clipped_ratio`, with one ratio a rollout, `exp(mean over its tokens of new - old)`.

    Every token carries its rollout's value, so that `aggregation.sequence_mean` gives the paper's mean over rollouts.
    Where tokens of a rollout differ in advantage, this is GSPO-token. Source: arXiv:2507.18071, equations 5, 7, 13.
    """
    ratio = _ratio(sequence_mean(new - old, sequences))
    # The ratio's value is the rollout's; its gradient is each token's own, which sums to the same where A is one.
    own = ratio.detach() * (new - new.detach()).exp()
    return _clipped(own, advantages, clip_low, clip_high)


def clipped_weight(
    new: Tensor, old: Tensor, advantages: Tensor, sequences: Tensor, *, clip_low: float = 1.0, clip_high: float = 4.0
) -> TokenLoss:
    """CISPO: `-clip(ratio, 1 - clip_low, 1 + clip_high) * A * log pi`, no gradient through the ratio.

    No token loses its gradient; a bound only limits its weight. With `clip_low` = 1 there is no lower bound, as in the
    paper's experiments. Source: MiniMax-M1 (arXiv:2506.13585), equations 4 and 5.
    """
    ratio = _ratio((new - old).detach())
    weight = ratio.clamp(1.0 - clip_low, 1.0 + clip_high)
    return TokenLoss(-weight * advantages * new, (weight != ratio).to(new.dtype))


def reinforce(new: Tensor, old: Tensor, advantages: Tensor, sequences: Tensor) -> TokenLoss:
    """`-log pi * A`, the plain policy gradient. Source: Williams (1992). `old` is not used."""
    return TokenLoss(-new * advantages, torch.zeros_like(new))


def _ratio(log_ratio: Tensor) -> Tensor:
    return log_ratio.clamp(-MAX_LOG_RATIO, MAX_LOG_RATIO).exp()


def _clipped(ratio: Tensor, advantages: Tensor, clip_low: float, clip_high: float) -> TokenLoss:
    free = ratio * advantages
    bounded = ratio.clamp(1.0 - clip_low, 1.0 + clip_high) * advantages
    return TokenLoss(-torch.minimum(free, bounded), (bounded < free).to(ratio.dtype))
