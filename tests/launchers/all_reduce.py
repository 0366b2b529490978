"""Run by a Slurm job on each node: sums the ranks over gloo and prints what came out."""

from __future__ import annotations

import torch
import torch.distributed as dist
from submitit.helpers import TorchDistributedEnvironment

environment = TorchDistributedEnvironment().export()
dist.init_process_group("gloo")
value = torch.tensor([float(environment.rank + 1)])
dist.all_reduce(value)
print(f"rank {environment.rank} of {environment.world_size}: {value.item()}")
dist.destroy_process_group()
