"""Lightning's Trainer as rlpt uses it: it drives steps over FSDP2 and leaves everything else to callbacks."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Iterator, Sequence

import torch
from lightning import Callback, Trainer
from lightning.fabric.plugins.environments.lightning import LightningEnvironment
from lightning.pytorch.strategies import ModelParallelStrategy
from omegaconf import DictConfig

from rlpt.assembly import cpu_threads


class Steps:
    """The numbers of the steps to come, without end: the run's budget ends it, not its data."""

    def __init__(self, done: int) -> None:
        self._done = done

    def __iter__(self) -> Iterator[int]:
        step = self._done
        while True:
            step += 1
            yield step


def build_trainer(hardware: DictConfig, callbacks: Sequence[Callback]) -> Trainer:
    """A Trainer whose strategy is FSDP2 over `hardware.devices` ranks, one rank included."""
    quiet_lightning()
    if threads := cpu_threads(hardware):
        torch.set_num_threads(threads)
    return Trainer(
        accelerator=hardware.accelerator,
        devices=hardware.devices,
        num_nodes=hardware.nodes,
        strategy=ModelParallelStrategy(data_parallel_size=hardware.devices * hardware.nodes, tensor_parallel_size=1),
        # Ranks are started by rlpt; without this Lightning would take a Slurm job's ranks for its own.
        plugins=[LightningEnvironment()],
        max_epochs=-1,
        callbacks=list(callbacks),
        logger=False,
        enable_checkpointing=False,
        enable_progress_bar=False,
        enable_model_summary=False,
        use_distributed_sampler=False,
    )


def quiet_lightning() -> None:
    """Lightning's hints and banners are about settings that are not the user's here."""
    for name in ("lightning.pytorch", "lightning.fabric", "lightning"):
        logging.getLogger(name).setLevel(logging.WARNING)
    warnings.filterwarnings("ignore", module=r"lightning\.")
