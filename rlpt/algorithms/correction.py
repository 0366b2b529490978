"""Off-policy correction: weights for tokens that another program (the engine) sampled than the one that trains.

Signature `(old [K], engine [K], sequences [K]) -> weights [K]`: log-probabilities of the sampled tokens, no gradient,
and the number of the rollout that each belongs to, whose action tokens are all there. `level` says whose ratio
`exp(old - engine)` is looked at:

- `token`: each token's own. Source: Yao et al., "Your efficient RL framework secretly brings you off-policy RL
  training" (2025).
- `sequence`: the product over the rollout, the unbiased weight of a whole answer.
- `geometric`: the geometric mean over the rollout, which does not grow with its length. Source of both: Liu, Li et al.,
  "When speed kills stability: demystifying RL collapse from the training-inference mismatch" (2025).
"""

from __future__ import annotations

from typing import Literal

import torch
from torch import Tensor

from rlpt.algorithms.sequences import sequence_mean, sequence_sum

MAX_LOG_RATIO = 20.0

Level = Literal["token", "sequence", "geometric"]


def truncated(old: Tensor, engine: Tensor, sequences: Tensor, *, level: Level = "token", cap: float = 2.0) -> Tensor:
    """Truncated importance sampling: `min(ratio, cap)`."""
    return _ratio(old, engine, sequences, level).clamp(max=cap)


def masked(
    old: Tensor, engine: Tensor, sequences: Tensor, *, level: Level = "token", low: float = 0.5, high: float = 2.0
) -> Tensor:
    """Masked importance sampling: the ratio, but 0 where it lies below `low` or above `high`.

    Source, besides those above: IcePop in "Every step evolves" (arXiv:2510.18855), for tokens.
    """
    ratio = _ratio(old, engine, sequences, level)
    return ratio.where((ratio >= low) & (ratio <= high), 0.0)


def none(old: Tensor, engine: Tensor, sequences: Tensor) -> Tensor:
    """Every token weighs 1: the engine is taken for the trainer."""
    return torch.ones_like(old)


def _ratio(old: Tensor, engine: Tensor, sequences: Tensor, level: Level) -> Tensor:
    log_ratio = old - engine
    if level == "sequence":
        log_ratio = sequence_sum(log_ratio, sequences)
    elif level == "geometric":
        log_ratio = sequence_mean(log_ratio, sequences)
    elif level != "token":
        raise ValueError(f"level={level!r} is none of token, sequence, geometric")
    return log_ratio.clamp(-MAX_LOG_RATIO, MAX_LOG_RATIO).exp()
