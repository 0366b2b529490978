"""The fixed suite before the first step, every n steps and after the last."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from lightning import Callback, LightningModule, Trainer
from omegaconf import DictConfig

from rlpt.collectives import rank
from rlpt.evaluation.measure import Tasks, measure
from rlpt.evaluation.moved import moved_rows
from rlpt.evaluation.sample import Sample
from rlpt.evaluation.statistics import compare_samples, summarise
from rlpt.evaluation.suite import Suite
from rlpt.evaluation.summary import evaluation_metrics, regression_metrics
from rlpt.tracking.recorder import Recorder
from rlpt.training.callbacks.finish import Finish
from rlpt.training.callbacks.follow import Follow
from rlpt.training.gate import Earlier, Gate
from rlpt.training.module import PolicyTraining


class Evaluate(Callback):
    """Measures the policy with seeds of its own, so that training goes on as if it had not."""

    def __init__(
        self,
        tasks: Tasks,
        suite: Suite,
        options: DictConfig,
        finish: Finish,
        recorder: Recorder | None,
        gate: Gate,
        follow: Follow,
        earlier: Mapping[int, Earlier],
    ) -> None:
        """`options` is the node `evaluation`; `earlier`: by step, what a run that is resumed has measured already."""
        self._tasks = tasks
        self._suite = suite
        self._options = options
        self._finish = finish
        self._recorder = recorder
        self._gate = gate
        self._follow = follow
        self._earlier = earlier
        self.before = earlier[0].samples if 0 in earlier else None
        self.after: Sequence[Sample] | None = None

    def on_train_start(self, trainer: Trainer, pl_module: LightningModule) -> None:
        """Evaluate before the first step; a resumed run has done so already, unless it was killed meanwhile."""
        assert isinstance(pl_module, PolicyTraining)
        step = pl_module.step
        if self._options.before and step == 0 and self.before is None:
            self.before = self._evaluate(trainer, pl_module, "before training")
        if step in self._earlier:
            self._go_on(trainer, pl_module, self._earlier[step])
        elif pl_module.last:
            self._finally(trainer, pl_module)
        elif step and self._is_due(step):
            self._evaluate(trainer, pl_module, f"after step {step}")

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
        if self._options.after and not self._finish.interrupted:
            self.after = self._evaluate(trainer, module, "after training")

    def _go_on(self, trainer: Trainer, module: PolicyTraining, found: Earlier) -> None:
        """Do what follows from an evaluation of the policy that the run is resumed with, where that was not done."""
        if found.level is None:  # it has not been judged
            found = replace(found, final=module.last)
        self._gate.act(trainer, module, found)
        if module.last:
            self.after = self._gate.standing

    def _evaluate(self, trainer: Trainer, module: PolicyTraining, when: str) -> Sequence[Sample] | None:
        """Measure, record, and do what follows. Returns the samples of the policy that there is afterwards."""
        if rank() == 0:
            print(f"evaluating {when}: {sum(map(len, self._tasks.values()))} tasks", flush=True)
        wanted = self._options
        samples = measure(module.actors, self._tasks, wanted.samples_per_task, wanted.seed, wanted.greedy)
        self._finish.meter.add_sampled(sum(sample.tokens for sample in samples))
        self._follow.measure(module, self._recorder)  # first: what follows from the evaluation needs it
        if self._recorder is not None:
            confidence = self._options.confidence
            metrics = evaluation_metrics(summarise(samples, confidence), self._suite)
            if self.before is not None:
                metrics |= regression_metrics(compare_samples(self.before, samples))
            self._recorder.evaluation(module.step, [sample.to_json() for sample in samples], metrics)
            if before := self.before:
                self._recorder.moved(module.step, lambda most: moved_rows(before, samples, most))
        consequence = self._gate.act(trainer, module, Earlier(samples, final=module.last))
        if consequence == "stop":
            self.after = samples
        return self._gate.standing
