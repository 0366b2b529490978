"""What went on around the policy since the step before, as metrics of a step."""

from __future__ import annotations

from lightning import Callback, LightningModule, Trainer

from rlpt.collectives import gather
from rlpt.counting import add
from rlpt.training.module import PolicyTraining


class Count(Callback):
    """Adds the counters of all ranks' actors to the step's metrics. Every rank has one, before what records."""

    def __init__(self) -> None:
        self._before: dict[str, float] = {}

    def on_train_batch_end(self, trainer: Trainer, pl_module: LightningModule, *unused: object) -> None:
        """Add what has come since the last time."""
        assert isinstance(pl_module, PolicyTraining)
        now: dict[str, float] = {}
        for counters in gather(pl_module.actors.counters()):
            add(now, counters)
        pl_module.metrics |= {name: value - self._before.get(name, 0.0) for name, value in now.items()}
        self._before = now
