"""The algorithm that a configuration names, as functions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from hydra.utils import instantiate
from omegaconf import DictConfig
from torch import Tensor

from rlpt.algorithms.losses import TokenLoss


@dataclass(frozen=True, slots=True)
class Recipe:
    """Advantage estimator x policy loss x aggregation x KL x correction x filters."""

    advantage: Callable[[Tensor, Tensor, Tensor], Tensor]
    loss: Callable[[Tensor, Tensor, Tensor], TokenLoss]
    aggregation: Callable[[Tensor], Tensor]
    kl_coefficient: float
    kl_estimator: Callable[[Tensor, Tensor], Tensor]
    correction: Callable[[Tensor, Tensor], Tensor]
    group_size: int
    updates_per_step: int
    mask_truncated: bool
    drop_equal_groups: bool


def build_recipe(algorithm: DictConfig) -> Recipe:
    """Instantiate the components that `conf/algorithm/` names."""
    return Recipe(
        advantage=instantiate(algorithm.advantage),
        loss=instantiate(algorithm.loss),
        aggregation=instantiate(algorithm.aggregation),
        kl_coefficient=algorithm.kl.coefficient,
        kl_estimator=instantiate(algorithm.kl.estimator),
        correction=instantiate(algorithm.correction),
        group_size=algorithm.group_size,
        updates_per_step=algorithm.updates_per_step,
        mask_truncated=algorithm.mask_truncated,
        drop_equal_groups=algorithm.drop_equal_groups,
    )
