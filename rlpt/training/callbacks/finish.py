"""When a run ends."""

from __future__ import annotations

from lightning import Callback, LightningModule, Trainer
from omegaconf import DictConfig

from rlpt.budget.meter import Meter
from rlpt.collectives import any_rank
from rlpt.training.callbacks.interrupt import Interrupt
from rlpt.training.metrics import PHASES
from rlpt.training.module import PolicyTraining


class Finish(Callback):
    """Meters each step and decides, for all ranks alike, whether it was the last: `module.last`."""

    def __init__(self, budget: DictConfig, interrupt: Interrupt, meter: Meter) -> None:
        """`meter` holds what the earlier parts of a resumed run have used."""
        self._budget = budget
        self._interrupt = interrupt
        self.meter = meter
        self.interrupted = False

    def on_train_start(self, trainer: Trainer, pl_module: LightningModule) -> None:
        """A run that is resumed after its last step has nothing to train."""
        self._decide(trainer, pl_module)

    def on_train_batch_end(self, trainer: Trainer, pl_module: LightningModule, *unused: object) -> None:
        """Count the step and decide."""
        assert isinstance(pl_module, PolicyTraining)
        metrics = pl_module.metrics
        seconds = {phase: metrics[f"time/{phase}_s"] for phase in PHASES}
        self.meter.add_step(int(metrics["perf/sampled_tokens"]), int(metrics["perf/trained_tokens"]), seconds)
        pl_module.metrics |= self.meter.totals()
        self._decide(trainer, pl_module)

    def _decide(self, trainer: Trainer, module: LightningModule) -> None:
        assert isinstance(module, PolicyTraining)
        self.interrupted = any_rank(self._interrupt.requested)
        module.last = self.interrupted or any_rank(self.meter.exceeded(self._budget) is not None)
        trainer.should_stop = module.last
