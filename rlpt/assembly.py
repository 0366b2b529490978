"""From a configuration to the objects of a run. Everything here is built once for each rank."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hydra.utils import instantiate
from omegaconf import DictConfig, OmegaConf

from rlpt.actors import Actors
from rlpt.domains.protocol import Domain, build_domains
from rlpt.policy.cache import default_cache_dir
from rlpt.policy.tokenizer import ChatTokenizer
from rlpt.run_dir import RunDir
from rlpt.samplers.protocol import Sampler
from rlpt.samplers.restarting import RestartingSampler
from rlpt.verifiers.pool import VerifierPool


def load_domains(cfg: DictConfig) -> dict[str, Domain]:
    """The domains of `cfg.domain` by name."""
    return build_domains(cfg.domain)


def model_folder(cfg: DictConfig, domains: Mapping[str, Domain]) -> Path:
    """The folder of the policy to start from, prepared if need be."""
    cache_dir = Path(cfg.cache_dir).expanduser() if cfg.cache_dir else default_cache_dir()
    folder: Path = instantiate(cfg.policy.source, cache_dir=cache_dir, domains=domains)
    return folder


def build_actors(cfg: DictConfig, folder: Path, run: RunDir, rank: int) -> Actors:
    """Start the engine and the verifiers; both get ready in the background."""
    threads = cpu_threads(cfg.hardware)

    def make_sampler() -> Sampler:
        sampler: Sampler = instantiate(
            cfg.sampler,
            model_folder=folder,
            log_path=run.root / "logs" / f"engine-{rank}.log",
            rank=rank,
            threads=cfg.sampler.threads or threads,
        )
        return sampler

    verification = cfg.verification
    pool = VerifierPool(
        {name: plain(node.verifier) for name, node in cfg.domain.items()},
        workers=verification.workers or max(threads or 1, 1),
        timeout_s=verification.timeout_s,
        memory_mb=verification.memory_mb,
    )
    limits = {name: int(node.max_new_tokens) for name, node in cfg.domain.items()}
    return Actors(ChatTokenizer(folder), RestartingSampler(make_sampler), pool, limits)


def cpu_threads(hardware: DictConfig) -> int | None:
    """CPU threads of one rank: as configured, else an equal share of the cores this process may use."""
    if hardware.threads is not None:
        return int(hardware.threads)
    if hardware.accelerator != "cpu":
        return None
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, cores // int(hardware.devices))


def plain(node: Any) -> dict[str, Any]:
    """A configuration node as plain dicts, lists and values, interpolations resolved."""
    value = OmegaConf.to_container(node, resolve=True)
    assert isinstance(value, dict)
    return {str(key): entry for key, entry in value.items()}
