"""Schema of the group `algorithm`: advantage, policy loss, aggregation, KL, correction, filters and optimizer.

The components are nodes with `_target_` and arguments of their own, so they stay open: a user's function brings its
own arguments. What the trainer itself reads is typed.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Any

from omegaconf import MISSING


class Placement(Enum):
    """Where a KL term acts: in each token's loss, in the rollout's reward, or in each token's advantage."""

    loss = "loss"
    reward = "reward"
    reward_to_go = "reward_to_go"


@dataclass
class KL:
    """Penalty for leaving the reference policy. A coefficient of 0 needs no reference model.

    `placements` come with the estimator: where it can act.
    """

    coefficient: float = MISSING
    placement: Placement = MISSING
    placements: list[Placement] = MISSING
    reference_every: int = MISSING
    reference_mix: float = MISSING
    estimator: dict[str, Any] = MISSING


class EqualGroups(Enum):
    """What becomes of a group whose rewards are all equal."""

    keep = "keep"
    drop = "drop"
    resample = "resample"


@dataclass
class Filters:
    """Which rollouts take part in a step, and what is taken from their rewards."""

    equal_groups: EqualGroups = MISSING
    max_rounds: int = MISSING
    mask_truncated: bool = MISSING
    max_staleness: int | None = MISSING
    overlong_penalty: float = MISSING
    overlong_buffer: float = MISSING


class OldLogprobs(Enum):
    """Whose log-probabilities the policy's are compared with."""

    recomputed = "recomputed"
    engine = "engine"


class Level(Enum):
    """Whether a loss looks at tokens or at whole rollouts."""

    token = "token"
    sequence = "sequence"


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
class Critic:
    """A value network beside the policy. What is not here is as in `optimizer`."""

    learning_rate: float = MISSING
    value_clip: float = MISSING


@dataclass
class Algorithm:
    """A recipe.

    `min_group_size`, the fewest samples of a task that it can weigh, `needs_positive_rewards`, `needs_greedy` and
    `critic` come with the advantage; `loss_level` comes with the loss.
    """

    paper: str = MISSING
    group_size: int = MISSING
    rollout_tokens_per_step: int | None = MISSING
    min_group_size: int = MISSING
    needs_positive_rewards: bool = MISSING
    needs_greedy: bool = MISSING
    critic: Critic | None = MISSING
    updates_per_step: int = MISSING
    old_logprobs: OldLogprobs = MISSING
    entropy_coefficient: float = MISSING
    advantage: dict[str, Any] = MISSING
    normalization: dict[str, Any] = MISSING
    loss: dict[str, Any] = MISSING
    loss_level: Level = MISSING
    aggregation: dict[str, Any] = MISSING
    kl: KL = MISSING
    correction: dict[str, Any] = MISSING
    filters: Filters = MISSING
    optimizer: Optimizer = MISSING


SCHEMAS: dict[str, type] = {
    "algorithm_schema": Algorithm,
    "optimizer_schema": Optimizer,
    "kl_schema": KL,
    "filters_schema": Filters,
}
