"""Generalised advantage estimation and the loss of its critic."""

from __future__ import annotations

import torch
from torch import Tensor


def gae(rewards: Tensor, values: Tensor, sequences: Tensor, *, gamma: float = 1.0, lam: float = 0.95) -> Tensor:
    """Advantages `[A]` (float64) of action tokens: `A_t = d_t + gamma * lam * A_(t + 1)` with
    `d_t = r_t + gamma * V_(t + 1) - V_t`, and 0 beyond a rollout's end.

    Source: Schulman et al. (arXiv:1506.02438), equations 11 and 16.

    Args:
        rewards: `[A]`, of each token.
        values: `[A]`, of the state in which each token was chosen.
        sequences: `[A]`, the number of each token's rollout; the tokens of one stand together and in order.
    """
    count = torch.bincount(sequences)
    place = torch.arange(len(sequences)) - (count.cumsum(0) - count)[sequences]
    grid = torch.zeros(2, len(count), (int(count.max()) if len(count) else 0) + 1, dtype=torch.float64)
    grid[0, sequences, place], grid[1, sequences, place] = rewards.double(), values.double()
    reward, value = grid
    advantages = torch.zeros_like(reward)
    for step in range(reward.shape[1] - 2, -1, -1):
        delta = reward[:, step] + gamma * value[:, step + 1] - value[:, step]
        inside = (step < count).double()
        advantages[:, step] = inside * (delta + gamma * lam * advantages[:, step + 1])
    return advantages[sequences, place]


def value_loss(new: Tensor, old: Tensor, returns: Tensor, *, clip: float) -> Tensor:
    """`max((V - R)^2, (clip(V, V_old - clip, V_old + clip) - R)^2) / 2` for each token `[K]`.

    Source: PPO's implementations, as in Huang et al., "The 37 implementation details of PPO" (2022), detail 9.
    """
    held = old + (new - old).clamp(-clip, clip)
    return 0.5 * torch.maximum((new - returns) ** 2, (held - returns) ** 2)
