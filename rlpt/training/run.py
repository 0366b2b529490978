"""`rlpt train`: prepares the policy, starts the engines, and runs the session, here or in one process a rank."""

from __future__ import annotations

import time
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from omegaconf import DictConfig

from rlpt.run_dir import RunDir
from rlpt.run_lock import holding


def train(cfg: DictConfig, run_dir: Path) -> dict[str, Any]:
    """Run `cfg` in `run_dir` and return the summary. Goes on from the newest checkpoint in `run_dir`, if any."""
    from rlpt.assembly import load_domains, model_folder, share_cores
    from rlpt.evaluation.summary import read_summary
    from rlpt.training.ranks import launch_ranks

    if cfg.hardware.devices == 1:
        return train_rank(cfg, run_dir)
    share_cores(cfg.hardware)
    # Prepared once here, so that no two ranks do it at a time.
    model_folder(cfg, load_domains(cfg))
    launch_ranks("train", cfg.hardware.devices, run_dir)
    return read_summary(RunDir(run_dir))


def train_rank(cfg: DictConfig, run_dir: Path) -> dict[str, Any]:
    """The run of one rank, in this process. Rank 0 records it and prints its table."""
    from rlpt.assembly import build_actors, load_domains, model_folder, share_cores
    from rlpt.training.ranks import local_rank

    started = time.monotonic()
    share_cores(cfg.hardware)
    rank, run = local_rank(), RunDir(run_dir)
    domains = load_domains(cfg)
    folder = model_folder(cfg, domains)
    # Rank 0 for all: nobody else may go on with the run or take it back meanwhile.
    with holding(run) if rank == 0 else nullcontext(), build_actors(cfg, folder, run, rank) as actors:
        # Imported now, while the engine starts in its own process: torch and Lightning take seconds.
        from rlpt.training.session import run_session

        return run_session(cfg, run, folder, domains, actors, rank, started)
