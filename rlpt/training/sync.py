"""Handing the policy's weights to the engine: one file in memory for each node."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

import torch

from rlpt.collectives import barrier, gather, rank
from rlpt.policy.export import write_weights
from rlpt.policy.network import PolicyNetwork
from rlpt.policy.sharding import full_weights
from rlpt.samplers.protocol import Sampler


class WeightSync:
    """Writes the gathered weights where the engines of this node read them, and numbers them."""

    def __init__(self, sampler: Sampler, dtype: torch.dtype) -> None:
        self._sampler = sampler
        self._dtype = dtype
        shared_memory = Path("/dev/shm")
        own = tempfile.mkdtemp(prefix="rlpt-", dir=shared_memory if shared_memory.is_dir() else None)
        self._own = Path(own)
        self._folder: Path | None = None

    def push(self, network: PolicyNetwork, version: int) -> None:
        """Make the engine's policy version `version` from the network. All ranks must call this together."""
        if self._folder is None:
            # Ranks of one node read the file of its first rank; until there are several nodes that is rank 0's.
            self._folder = gather(self._own)[0]
        path = self._folder / f"version-{version}.safetensors"
        weights = full_weights(network, self._dtype)
        if rank() == 0:
            write_weights(weights, path)
        barrier()
        self._sampler.load(path, version)
        barrier()
        if rank() == 0:
            # The last file stays: an engine that has to be started again reads it.
            for old in self._folder.glob("version-*.safetensors"):
                if old != path:
                    old.unlink()

    def close(self) -> None:
        """Remove the files."""
        shutil.rmtree(self._own, ignore_errors=True)
