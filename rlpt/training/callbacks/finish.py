"""When a run ends."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from lightning import Callback, LightningModule, Trainer
from omegaconf import DictConfig

from rlpt.collectives import any_rank
from rlpt.training.callbacks.interrupt import Interrupt
from rlpt.training.module import PolicyTraining


class Finish(Callback):
    """Decides after each step, for all ranks alike, whether it was the last: `module.last`."""

    def __init__(self, budget: DictConfig, interrupt: Interrupt, used: Mapping[str, Any], started: float) -> None:
        """`used` are the `tokens` and `seconds` of a resumed run's earlier parts; `started` is time.monotonic()."""
        self._budget = budget
        self._interrupt = interrupt
        self._seconds_before = used["seconds"]
        self._started = started
        self.tokens = int(used["tokens"])
        self.interrupted = False

    @property
    def seconds(self) -> float:
        """Wall time of the run so far, earlier parts included."""
        return float(self._seconds_before + time.monotonic() - self._started)

    def on_train_start(self, trainer: Trainer, pl_module: LightningModule) -> None:
        """A run that is resumed after its last step has nothing to train."""
        self._decide(trainer, pl_module)

    def on_train_batch_end(self, trainer: Trainer, pl_module: LightningModule, *unused: object) -> None:
        """Count the step and decide."""
        assert isinstance(pl_module, PolicyTraining)
        self.tokens += int(pl_module.metrics["perf/sampled_tokens"])
        self._decide(trainer, pl_module)

    def _decide(self, trainer: Trainer, module: LightningModule) -> None:
        assert isinstance(module, PolicyTraining)
        budget = self._budget
        self.interrupted = any_rank(self._interrupt.requested)
        module.last = self.interrupted or any_rank(
            module.step >= budget.steps
            or (budget.wall_s is not None and self.seconds >= budget.wall_s)
            or (budget.tokens is not None and self.tokens >= budget.tokens)
        )
        trainer.should_stop = module.last
