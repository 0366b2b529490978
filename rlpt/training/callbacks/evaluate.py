"""The fixed suite before the first step, every n steps and after the last."""

from __future__ import annotations

from collections.abc import Sequence

from lightning import Callback, LightningModule, Trainer
from omegaconf import DictConfig

from rlpt.collectives import rank
from rlpt.evaluation.measure import Tasks, measure
from rlpt.evaluation.sample import Sample
from rlpt.evaluation.statistics import compare_samples, summarise
from rlpt.evaluation.summary import evaluation_metrics, regression_metrics
from rlpt.tracking.recorder import Recorder
from rlpt.training.callbacks.finish import Finish
from rlpt.training.module import PolicyTraining


class Evaluate(Callback):
    """Measures the policy with seeds of its own, so that training goes on as if it had not."""

    def __init__(
        self,
        tasks: Tasks,
        options: DictConfig,
        finish: Finish,
        recorder: Recorder | None,
        before: Sequence[Sample] | None,
    ) -> None:
        """`options` is the node `evaluation`; `before` is what a resumed run measured at its start."""
        self._tasks = tasks
        self._options = options
        self._finish = finish
        self._recorder = recorder
        self.before = before
        self.after: Sequence[Sample] | None = None

    def on_train_start(self, trainer: Trainer, pl_module: LightningModule) -> None:
        """Evaluate before the first step; a resumed run has done so already."""
        assert isinstance(pl_module, PolicyTraining)
        if self._options.before and self.before is None and pl_module.step == 0:
            self.before = self._evaluate(pl_module, "before training")
        if pl_module.last:
            self._finally(pl_module)

    def on_train_batch_end(self, trainer: Trainer, pl_module: LightningModule, *unused: object) -> None:
        """Evaluate after the last step, and where the step is due."""
        assert isinstance(pl_module, PolicyTraining)
        if pl_module.last:
            self._finally(pl_module)
        elif self._options.every and pl_module.step % self._options.every == 0:
            self._evaluate(pl_module, f"after step {pl_module.step}")

    def _finally(self, module: PolicyTraining) -> None:
        if self._options.after and not self._finish.interrupted:
            self.after = self._evaluate(module, "after training")

    def _evaluate(self, module: PolicyTraining, when: str) -> Sequence[Sample]:
        if rank() == 0:
            print(f"evaluating {when}: {sum(map(len, self._tasks.values()))} tasks", flush=True)
        samples = measure(module.actors, self._tasks, self._options.samples_per_task, self._options.seed)
        self._finish.meter.add_sampled(sum(sample.tokens for sample in samples))
        if self._recorder is not None:
            confidence = self._options.confidence
            metrics = evaluation_metrics(summarise(samples, confidence))
            if self.before is not None:
                metrics |= regression_metrics(compare_samples(self.before, samples, confidence))
            self._recorder.evaluation(module.step, [sample.to_json() for sample in samples], metrics)
        return samples
