"""Schema of the group `hardware`: what the run computes on."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from omegaconf import MISSING


class Accelerator(Enum):
    """Kind of device of the trainer and the engine."""

    cpu = "cpu"
    gpu = "gpu"


@dataclass
class Hardware:
    """`devices` counts the ranks on a node: GPUs, or processes on CPU cores."""

    accelerator: Accelerator = MISSING
    devices: int = MISSING
    nodes: int = MISSING
    threads: int | None = MISSING
    tokens_per_micro_batch: int = MISSING


SCHEMAS: dict[str, type] = {"hardware_schema": Hardware}
