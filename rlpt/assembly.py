"""From a configuration to the objects of a run. Everything here is built once for each rank."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hydra.utils import instantiate
from omegaconf import DictConfig, OmegaConf

from rlpt.actors import Actors
from rlpt.domains.mixture import Mixture
from rlpt.domains.protocol import Domain, build_domains
from rlpt.policy.cache import default_cache_dir
from rlpt.policy.tokenizer import ChatTokenizer
from rlpt.run_dir import RunDir
from rlpt.samplers.protocol import Sampler
from rlpt.samplers.restarting import RestartingSampler
from rlpt.verifiers.pool import VerifierPool


def share_cores(hardware: DictConfig) -> None:
    """Make idle compute threads sleep: trainer, engine and verifiers take turns on the same cores.

    Must be called before torch is imported; values that the user has set stay.
    """
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    os.environ.setdefault("KMP_BLOCKTIME", "1")
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    if threads := cpu_threads(hardware):
        os.environ.setdefault("OMP_NUM_THREADS", str(threads))


def load_domains(cfg: DictConfig) -> dict[str, Domain]:
    """The domains of `cfg.domain` by name."""
    return build_domains(cfg.domain)


def model_folder(cfg: DictConfig, domains: Mapping[str, Domain]) -> Path:
    """The folder of the policy to start from, prepared if need be."""
    cache_dir = Path(cfg.cache_dir).expanduser() if cfg.cache_dir else default_cache_dir()
    # Through a partial: given to `instantiate` itself, records and objects would be turned into configs.
    folder: Path = instantiate(cfg.policy.source, _partial_=True)(cache_dir=cache_dir, domains=domains)
    return folder


def build_actors(cfg: DictConfig, folder: Path, run: RunDir, rank: int) -> Actors:
    """Start the engine and the verifiers; both get ready in the background."""
    verifiers = {name: plain(node.verifier) for name, node in cfg.domain.items()}
    threads = cpu_threads(cfg.hardware)

    def make_sampler() -> Sampler:
        sampler: Sampler = instantiate(cfg.sampler, _partial_=True)(
            model_folder=folder,
            log_path=run.root / "logs" / f"engine-{rank}.log",
            rank=rank,
            threads=cfg.sampler.threads or threads,
        )
        return sampler

    verification = cfg.verification
    pool = VerifierPool(
        verifiers,
        workers=verification.workers or max(threads or 1, 1),
        timeout_s=verification.timeout_s,
        memory_mb=verification.memory_mb,
    )
    limits = {name: int(node.max_new_tokens) for name, node in cfg.domain.items()}
    return Actors(ChatTokenizer(folder), RestartingSampler(make_sampler), pool, limits)


def build_mixture(cfg: DictConfig, domains: Mapping[str, Domain]) -> Mixture:
    """The mixture over the domains' training tasks."""
    mixture: Mixture = instantiate(cfg.mixture, _partial_=True)(
        tasks={name: domain.load("train") for name, domain in domains.items()},
        weights={name: float(node.weight) for name, node in cfg.domain.items()},
        seed=cfg.seed,
    )
    return mixture


def cpu_threads(hardware: DictConfig) -> int | None:
    """CPU threads of one rank: as configured, else an equal share of the cores this process may use."""
    if hardware.threads is not None:
        return int(hardware.threads)
    if hardware.accelerator != "cpu":
        return None
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, cores // int(hardware.devices))


def plain(node: DictConfig) -> dict[str, Any]:
    """A configuration node as plain dicts, lists and values, interpolations resolved."""
    value = OmegaConf.to_container(node, resolve=True)
    assert isinstance(value, dict)
    return {str(key): entry for key, entry in value.items()}
