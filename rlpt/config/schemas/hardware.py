"""Schema of the group `hardware`: what the run computes on."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from omegaconf import MISSING


class Accelerator(Enum):
    """Kind of device of the trainer and the engine."""

    cpu = "cpu"
    gpu = "gpu"


class Activations(Enum):
    """What becomes of the activations that the backward pass needs."""

    keep = "keep"
    recompute = "recompute"
    offload = "offload"


@dataclass
class Hardware:
    """`devices` counts the ranks on a node: GPUs, or processes on CPU cores.

    `tokens_per_micro_batch`, `activations` and `logits_mib` trade memory for time; no result depends on them.
    """

    accelerator: Accelerator = MISSING
    devices: int = MISSING
    nodes: int = MISSING
    threads: int | None = MISSING
    tokens_per_micro_batch: int = MISSING
    activations: Activations = MISSING
    logits_mib: int = MISSING


SCHEMAS: dict[str, type] = {"hardware_schema": Hardware}
