"""The fixed suite before the first step, every n steps and after the last."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lightning import Callback, LightningModule, Trainer
from omegaconf import DictConfig

from rlpt.collectives import rank
from rlpt.evaluation.measure import Tasks, measure
from rlpt.evaluation.sample import Sample
from rlpt.evaluation.statistics import compare_samples, summarise
from rlpt.evaluation.summary import evaluation_metrics, regression_metrics
from rlpt.tracking.recorder import Recorder
from rlpt.training.callbacks.finish import Finish
from rlpt.training.gate import Consequence, Gate
from rlpt.training.module import PolicyTraining


class Evaluate(Callback):
    """Measures the policy with seeds of its own, so that training goes on as if it had not."""

    def __init__(
        self,
        tasks: Tasks,
        options: DictConfig,
        finish: Finish,
        recorder: Recorder | None,
        gate: Gate,
        earlier: Mapping[int, Sequence[Sample]],
    ) -> None:
        """`options` is the node `evaluation`; `earlier`: by step, what a run that is resumed has measured already."""
        self._tasks = tasks
        self._options = options
        self._finish = finish
        self._recorder = recorder
        self._gate = gate
        self.before = earlier.get(0)
        self.after: Sequence[Sample] | None = None
        self._good: Sequence[Sample] | None = None
        self._done = {
            step: self._standing(samples, gate.look(step, samples, final=False)[1])
            for step, samples in sorted(earlier.items())
        }

    def on_train_start(self, trainer: Trainer, pl_module: LightningModule) -> None:
        """Evaluate before the first step; a resumed run has done so already, unless it was killed meanwhile."""
        assert isinstance(pl_module, PolicyTraining)
        if self._options.before and pl_module.step == 0 and self.before is None:
            self.before = self._evaluate(trainer, pl_module, "before training")
        if pl_module.last:
            self._finally(trainer, pl_module)
        elif pl_module.step and self._is_due(pl_module.step) and pl_module.step not in self._done:
            self._evaluate(trainer, pl_module, f"after step {pl_module.step}")

    def on_train_batch_end(self, trainer: Trainer, pl_module: LightningModule, *unused: object) -> None:
        """Evaluate after the last step, and where the step is due."""
        assert isinstance(pl_module, PolicyTraining)
        if pl_module.last:
            self._finally(trainer, pl_module)
        elif self._is_due(pl_module.step):
            self._evaluate(trainer, pl_module, f"after step {pl_module.step}")

    def _is_due(self, step: int) -> bool:
        return bool(self._options.every) and step % self._options.every == 0

    def _finally(self, trainer: Trainer, module: PolicyTraining) -> None:
        if module.step in self._done:
            self.after = self._done[module.step]
        elif self._options.after and not self._finish.interrupted:
            self.after = self._evaluate(trainer, module, "after training")

    def _evaluate(self, trainer: Trainer, module: PolicyTraining, when: str) -> Sequence[Sample]:
        """Measure, record, and do what follows. Returns the samples of the policy that there is afterwards."""
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
        consequence = self._gate.act(trainer, module, samples, final=module.last)
        if consequence == "stop":
            self.after = samples
        return self._standing(samples, consequence)

    def _standing(self, samples: Sequence[Sample], consequence: Consequence) -> Sequence[Sample]:
        """The samples of the policy that there is after an evaluation and its consequence."""
        if consequence == "none":
            self._good = samples
        return self._good if consequence == "rollback" and self._good is not None else samples
