"""What an evaluation of a run has for consequences: a warning, the end, or the way back to the last good policy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from lightning import Trainer

from rlpt.collectives import rank
from rlpt.evaluation.gate.table import gate_table
from rlpt.evaluation.gate.watch import Look, Watch
from rlpt.evaluation.sample import Sample
from rlpt.evaluation.table import print_table
from rlpt.tracking.lineage import Lineage
from rlpt.training.module import PolicyTraining
from rlpt.training.saving import Saver

Consequence = Literal["none", "warn", "stop", "rollback"]


@dataclass(frozen=True, slots=True)
class Rollback:
    """At most `most` times in a run; each time the learning rate is multiplied by `learning_rate`."""

    most: int
    learning_rate: float


class Gate:
    """Decides, for all ranks alike, by evaluations alone: shown the same ones again it decides the same.

    Where the run may go back, the checkpoint of the last evaluated step without a regression is kept.
    """

    def __init__(
        self,
        watch: Watch,
        on_regression: Literal["warn", "stop", "rollback"],
        rollback: Rollback,
        saver: Saver,
        lineage: Lineage | None,
    ) -> None:
        """Rank 0 has the `lineage`."""
        self._watch = watch
        self._on_regression = on_regression
        self._rollback = rollback
        self._saver = saver
        self._lineage = lineage
        self._rollbacks = 0

    def look(self, step: int, samples: Sequence[Sample], final: bool) -> tuple[Look | None, Consequence]:
        """Judge an evaluation and decide. Changes nothing but this object and which checkpoint is kept."""
        look = self._watch.look(step, samples, final)
        if look is None or not look.regressed:
            self._saver.good_step = step if self._on_regression == "rollback" else None
            return look, "none"
        if self._on_regression != "rollback":
            return look, self._on_regression
        if self._saver.good_step is None or self._rollbacks >= self._rollback.most:
            return look, "stop"
        self._rollbacks += 1
        return look, "rollback"

    def act(self, trainer: Trainer, module: PolicyTraining, samples: Sequence[Sample], final: bool) -> Consequence:
        """Look, and do what follows from it. All ranks must call this together."""
        look, consequence = self.look(module.step, samples, final)
        self._record(module.step, look, consequence)
        if consequence == "rollback":
            self._go_back(trainer, module)
        elif consequence == "stop":
            module.last = trainer.should_stop = True
            self._saver.save(trainer, module)
        elif self._saver.good_step == module.step:
            self._saver.save(trainer, module)
        return consequence

    def _go_back(self, trainer: Trainer, module: PolicyTraining) -> None:
        assert self._saver.good_step is not None
        self._saver.load(trainer, module, self._saver.good_step)
        module.learning_rate_scale *= self._rollback.learning_rate
        module.sync.push(module.network, version=module.step)
        self._saver.save(trainer, module)  # else a kill would bring the regressed policy back

    def _record(self, step: int, look: Look | None, consequence: Consequence) -> None:
        to = {"to": self._saver.good_step} if consequence == "rollback" else {}
        if self._lineage is not None:
            self._lineage.add(step, "evaluation", {} if look is None else look.to_json())
            if consequence != "none":
                self._lineage.add(step, consequence, to)
        if look is None or not look.regressed or rank() != 0:
            return
        names = ", ".join(verdict.domain for verdict in look.regressed)
        print(f"\nAfter step {step} worse than at {look.reference}: {names}.", flush=True)
        print_table(gate_table(look.verdicts))
        what = {
            "warn": "The run goes on (evaluation.on_regression=warn).",
            "stop": "The run stops here.",
            "rollback": f"The policy goes back to that of step {self._saver.good_step}.",
        }
        print(what[consequence], flush=True)
