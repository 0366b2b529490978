"""Each step in the run directory, the tracker and the progress line; checkpoints."""

from __future__ import annotations

from lightning import Callback, LightningModule, Trainer

from rlpt.tracking.progress import ProgressLine
from rlpt.tracking.recorder import Recorder
from rlpt.training.metrics import PHASES
from rlpt.training.module import PolicyTraining
from rlpt.training.saving import Saver


class Record(Callback):
    """Records what the module says of its step. Only rank 0 has one."""

    def __init__(self, recorder: Recorder, progress: ProgressLine) -> None:
        self._recorder = recorder
        self._progress = progress

    def on_train_batch_end(self, trainer: Trainer, pl_module: LightningModule, *unused: object) -> None:
        """Record the step and show it."""
        assert isinstance(pl_module, PolicyTraining)
        step, metrics = pl_module.step, pl_module.metrics
        self._recorder.rollouts(step, pl_module.groups, pl_module.advantages)
        self._recorder.log(step, metrics)
        self._progress.step(
            step,
            {name: metrics.get(f"train/{name}/reward") for name in pl_module.cfg.domain},
            metrics["perf/tokens_per_s"],
            {phase: metrics[f"time/{phase}_s"] for phase in PHASES},
            metrics["time/step_s"],
        )


class Checkpoint(Callback):
    """Saves every n steps and after the last."""

    def __init__(self, saver: Saver, every: int) -> None:
        self._saver = saver
        self._every = every

    def on_train_batch_end(self, trainer: Trainer, pl_module: LightningModule, *unused: object) -> None:
        """Save where the step is due."""
        assert isinstance(pl_module, PolicyTraining)
        if pl_module.last or pl_module.step % self._every == 0:
            self._saver.save(trainer, pl_module)
