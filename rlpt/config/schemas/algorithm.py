"""Schema of the group `algorithm`: advantage, policy loss, aggregation, KL, correction and optimizer.

The components are nodes with `_target_` and arguments of their own, so they stay open: a user's function brings its
own arguments. What the trainer itself reads is typed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from omegaconf import MISSING


@dataclass
class KL:
    """Penalty for leaving the reference policy. A coefficient of 0 needs no reference model."""

    coefficient: float = MISSING
    estimator: dict[str, Any] = MISSING


@dataclass
class Optimizer:
    """AdamW on float32 weights with a linear warm-up."""

    learning_rate: float = MISSING
    betas: list[float] = MISSING
    eps: float = MISSING
    weight_decay: float = MISSING
    warmup_steps: int = MISSING
    max_grad_norm: float = MISSING


@dataclass
class Algorithm:
    """A recipe. `min_group_size` comes with the advantage: the fewest samples of a task that it can weigh."""

    group_size: int = MISSING
    min_group_size: int = MISSING
    updates_per_step: int = MISSING
    mask_truncated: bool = MISSING
    drop_equal_groups: bool = MISSING
    advantage: dict[str, Any] = MISSING
    loss: dict[str, Any] = MISSING
    aggregation: dict[str, Any] = MISSING
    kl: KL = MISSING
    correction: dict[str, Any] = MISSING
    optimizer: Optimizer = MISSING


SCHEMAS: dict[str, type] = {"algorithm_schema": Algorithm, "optimizer_schema": Optimizer, "kl_schema": KL}
