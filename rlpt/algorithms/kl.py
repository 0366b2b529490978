"""Estimators of KL(policy || reference) for each token, from log-probabilities of the sampled tokens.

Signature `(new [K], reference [K]) -> [K]`. Source: Schulman, "Approximating KL divergence" (2020).
"""

from __future__ import annotations

from torch import Tensor

MAX_LOG_RATIO = 20.0


def k1(new: Tensor, reference: Tensor) -> Tensor:
    """`log(pi / ref)`: unbiased, may be negative. For the reward: as a loss its gradient has mean 0."""
    return new - reference


def k2(new: Tensor, reference: Tensor) -> Tensor:
    """`log(pi / ref)^2 / 2`: biased, low variance; as a loss its gradient is that of KL(policy || reference)."""
    return 0.5 * (new - reference).clamp(-MAX_LOG_RATIO, MAX_LOG_RATIO) ** 2


def k3(new: Tensor, reference: Tensor) -> Tensor:
    """`ref / pi - 1 - log(ref / pi)`: unbiased and never negative. Used by GRPO (arXiv:2402.03300), equation 4.

    As a loss, on samples of the policy, its gradient is that of KL(reference || policy): near the reference the same.
    """
    ratio = (reference - new).clamp(-MAX_LOG_RATIO, MAX_LOG_RATIO)
    return ratio.exp() - 1.0 - ratio
