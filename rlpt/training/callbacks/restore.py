"""A resumed run starts from its newest checkpoint."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lightning import Callback, LightningModule, Trainer

from rlpt.training.module import PolicyTraining
from rlpt.training.saving import Saver


class Restore(Callback):
    """Fills policy and optimizer from the checkpoint of `state` and hands the weights to the engine."""

    def __init__(self, saver: Saver, state: Mapping[str, Any]) -> None:
        self._saver = saver
        self._state = state

    def on_train_start(self, trainer: Trainer, pl_module: LightningModule) -> None:
        """Restore, where there is something to restore."""
        assert isinstance(pl_module, PolicyTraining)
        step = self._state["step"]
        if step > 0:
            self._saver.load(trainer, pl_module, step)
            pl_module.resume(step, self._state)
            pl_module.sync.push(pl_module.network, version=step)
