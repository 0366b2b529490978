"""A run's checkpoints, from its trainer and module and back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from lightning import Trainer

from rlpt.budget.meter import Meter
from rlpt.run_dir import RunDir
from rlpt.tracking.lineage import Lineage
from rlpt.training import checkpoint
from rlpt.training.module import PolicyTraining
from rlpt.training.states import read_state


class Saver:
    """Writes and reads the checkpoints of `run`. All ranks must call each method together.

    The newest `keep` stay, and `good_step` where there is one. `rollbacks`: each time that the run has gone back so
    far, as `rlpt.training.going_back` describes it.
    """

    def __init__(
        self, run: RunDir, keep: int, meter: Meter, lineage: Lineage | None, rollbacks: Sequence[Mapping[str, Any]]
    ) -> None:
        """Rank 0 has the `lineage`."""
        self.good_step: int | None = None
        self.rollbacks = list(rollbacks)
        self._run, self._keep, self._meter, self._lineage = run, keep, meter, lineage

    def state(self, module: PolicyTraining) -> dict[str, Any]:
        """What a checkpoint keeps besides weights, as plain values."""
        own = {"step": module.step, "meter": self._meter.state_dict(), "rollbacks": self.rollbacks}
        return {**module.progress(), **own}

    def save(self, trainer: Trainer, module: PolicyTraining) -> None:
        """Write the checkpoint of the module's step."""
        policy = module.network, trainer.optimizers[0]
        kept = self._keep, self.good_step
        checkpoint.save(self._run, module.step, *policy, self.state(module), *kept, module.companions())
        if self._lineage is not None:
            self._lineage.add(module.step, "checkpoint")

    def save_once(self, trainer: Trainer, module: PolicyTraining) -> None:
        """Write the checkpoint of the module's step unless it is there."""
        if not self.has(module.step):
            self.save(trainer, module)

    def load(self, trainer: Trainer, module: PolicyTraining, step: int) -> None:
        """Fill the module's networks and optimizers from the checkpoint of `step`."""
        checkpoint.load(self._run, step, module.network, trainer.optimizers[0], module.companions())

    def has(self, step: int | None) -> bool:
        """Whether `step` has a checkpoint."""
        return step in self._run.checkpoint_steps()

    def read(self, step: int) -> dict[str, Any]:
        """The state of the checkpoint of `step`."""
        return read_state(self._run, step)
