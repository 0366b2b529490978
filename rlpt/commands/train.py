"""`rlpt train`: reinforcement learning from verifiable rewards."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from omegaconf import DictConfig

from rlpt.commands.job import run_job


def run(cfg: DictConfig, started_with: Mapping[str, Any] | None = None) -> object:
    """Hydra's task function. Submitit imports it by this name on a node."""
    return run_job("train", _train, cfg, started_with)


def _train(cfg: DictConfig, run_dir: Path) -> object:
    from rlpt.training.run import train

    return train(cfg, run_dir)
