"""Schemas of the group `tracker`: what mirrors the run directory's record."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from omegaconf import MISSING


class WandbMode(Enum):
    """`auto` is online where a key is found and offline where none is."""

    auto = "auto"
    online = "online"
    offline = "offline"
    disabled = "disabled"


class WandbWeights(Enum):
    """`reference` records where weights lie, `upload` takes them along, `none` leaves them out."""

    reference = "reference"
    upload = "upload"
    none = "none"


@dataclass
class Wandb:
    """Weights & Biases. A sweep's runs share `group`; null lets rlpt name it."""

    _target_: str = MISSING
    project: str = MISSING
    entity: str | None = MISSING
    group: str | None = MISSING
    mode: WandbMode = MISSING
    samples_per_step: int = MISSING
    weights: WandbWeights = MISSING


@dataclass
class TensorBoard:
    """Event files in the run directory."""

    _target_: str = MISSING
    samples_per_step: int = MISSING


@dataclass
class NoTracker:
    """The run directory alone."""

    _target_: str = MISSING


SCHEMAS: dict[str, type] = {
    "wandb_schema": Wandb,
    "tensorboard_schema": TensorBoard,
    "no_tracker_schema": NoTracker,
}
