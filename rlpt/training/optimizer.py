"""AdamW on the policy's fp32 weights, and one update of it."""

from __future__ import annotations

import torch
from lightning.pytorch.core.optimizer import LightningOptimizer
from omegaconf import DictConfig, OmegaConf
from torch import nn
from torch.optim import AdamW


def build_optimizer(network: nn.Module, options: DictConfig) -> AdamW:
    """AdamW by the node `algorithm.optimizer`; the learning rate is set anew before each update."""
    return AdamW(
        network.parameters(),
        lr=options.learning_rate,
        betas=tuple(options.betas),
        eps=options.eps,
        weight_decay=options.weight_decay,
        fused=True,
    )


def critic_options(algorithm: DictConfig) -> DictConfig:
    """The node `algorithm.optimizer` with the critic's own learning rate."""
    options = OmegaConf.merge(algorithm.optimizer, {"learning_rate": algorithm.critic.learning_rate})
    assert isinstance(options, DictConfig)
    return options


def apply_update(
    network: nn.Module, optimizer: object, options: DictConfig, updates_before: int, scale: float = 1.0
) -> dict[str, float]:
    """Clip the gradient on the network, take one optimizer step, clear the gradient. Return what was measured.

    `scale` multiplies the learning rate. `optimizer` is Lightning's wrapper, so that Lightning counts the update. A
    gradient that is not finite is an error that no user causes: it would destroy the weights.
    """
    assert isinstance(optimizer, LightningOptimizer)
    norm = torch.nn.utils.clip_grad_norm_(network.parameters(), options.max_grad_norm)
    norm = norm.full_tensor() if hasattr(norm, "full_tensor") else norm
    if not torch.isfinite(norm):
        raise FloatingPointError(f"the gradient of update {updates_before + 1} is not finite (norm {float(norm)})")
    rate = scale * learning_rate(options, updates_before)
    for group in optimizer.param_groups:
        group["lr"] = rate
    optimizer.step()
    optimizer.zero_grad()
    return {"rl/gradient_norm": float(norm), "rl/learning_rate": rate}


def learning_rate(options: DictConfig, updates_before: int) -> float:
    """Linear warm-up over `warmup_steps` updates, then constant."""
    return float(options.learning_rate) * min(1.0, (updates_before + 1) / max(int(options.warmup_steps), 1))
