"""A run's checkpoints, from its trainer and module and back."""

from __future__ import annotations

from lightning import Trainer

from rlpt.budget.meter import Meter
from rlpt.run_dir import RunDir
from rlpt.training import checkpoint
from rlpt.training.module import PolicyTraining


class Saver:
    """Writes and reads the checkpoints of `run`. All ranks must call each method together.

    The newest `keep` stay, and `good_step` where there is one.
    """

    def __init__(self, run: RunDir, keep: int, meter: Meter) -> None:
        self.good_step: int | None = None
        self._run, self._keep, self._meter = run, keep, meter

    def save(self, trainer: Trainer, module: PolicyTraining) -> None:
        """Write the checkpoint of the module's step."""
        state = {**module.progress(), "meter": self._meter.state_dict()}
        policy = module.network, trainer.optimizers[0]
        kept = self._keep, self.good_step
        checkpoint.save(self._run, module.step, *policy, state, *kept, module.companions())

    def load(self, trainer: Trainer, module: PolicyTraining, step: int) -> None:
        """Fill the module's networks and optimizers from the checkpoint of `step`."""
        checkpoint.load(self._run, step, module.network, trainer.optimizers[0], module.companions())
