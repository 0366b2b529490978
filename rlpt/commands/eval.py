"""`rlpt eval`: measure a policy, domain by domain."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from omegaconf import DictConfig

from rlpt.commands.job import run_job


def run(
    cfg: DictConfig, started_with: Mapping[str, Any] | None = None, recorded: Mapping[str, Any] | None = None
) -> object:
    """Hydra's task function. Submitit imports it by this name on a node."""
    return run_job("eval", _eval, cfg, started_with, recorded)


def _eval(cfg: DictConfig, run_dir: Path) -> object:
    from rlpt.evaluation.run import evaluate

    return evaluate(cfg, run_dir)
