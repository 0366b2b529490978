"""What an evaluation of a run has for consequences: a warning, the end, or the way back to the last good policy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from lightning import Trainer

from rlpt.collectives import gather, rank
from rlpt.evaluation.gate.table import gate_table
from rlpt.evaluation.gate.watch import Look, Watch
from rlpt.evaluation.lineage_table import rollback_words
from rlpt.evaluation.sample import Sample
from rlpt.evaluation.table import print_table
from rlpt.evaluation.text import emit, visible
from rlpt.evaluation.trace.suspects import accused
from rlpt.tracking.lineage import Lineage
from rlpt.training.going_back import Rollback, go_back
from rlpt.training.module import PolicyTraining
from rlpt.training.saving import Saver

Consequence = Literal["none", "warn", "stop", "rollback"]
CONSEQUENCES: Sequence[Consequence] = ("warn", "stop", "rollback")


@dataclass(frozen=True, slots=True)
class Earlier:
    """An evaluation that a resumed run has made. `final`: it was thought to be the last. `level`: of its test.

    `level` is None where there was nothing to compare with, or the run was killed before it compared.
    """

    samples: Sequence[Sample]
    final: bool = False
    level: float | None = None


class Gate:
    """Decides, for all ranks alike. What was decided once stays: a resumed run is shown its evaluations again.

    The checkpoint of the last evaluated step without a regression is kept.
    """

    def __init__(
        self,
        watch: Watch,
        on_regression: Literal["warn", "stop", "rollback"],
        rollback: Rollback,
        weights: Mapping[str, float],
        saver: Saver,
        lineage: Lineage | None,
    ) -> None:
        """`weights`: of the domains in the mixture, as configured. Rank 0 has the `lineage`."""
        self._watch = watch
        self._on_regression = on_regression
        self._rollback = rollback
        self._weights = weights
        self._saver = saver
        self._lineage = lineage
        self.standing: Sequence[Sample] | None = None
        """The samples of the policy that there is now, where it was evaluated."""
        self._good: Sequence[Sample] | None = None
        self.last: Look | None = None

    def replay(self, earlier: Mapping[int, Earlier], step: int) -> None:
        """Look again at what was evaluated before `step`, and follow the rollbacks up to it. Changes nothing on disk.

        For the evaluation at `step` itself call `act`: the run may have been killed before anything came of it.
        """
        back = self._saver.rollbacks
        for own in sorted({*earlier, *(done["step"] for done in back)}):
            if own in earlier and own < step:
                found = earlier[own]
                look = self._watch.look(own, found.samples, found.final, found.level)
                if look is None or not look.regressed:
                    self._stand_on(own, found.samples)
            for done in back:
                if done["step"] == own:
                    there = earlier.get(done["to"])
                    self._stand_on(done["to"], None if there is None else there.samples)

    def act(self, trainer: Trainer, module: PolicyTraining, evaluation: Earlier) -> Consequence:
        """Look at the evaluation of the module's policy, and do what follows unless it is done.

        All ranks must call this together.
        """
        step = module.step
        look = self.last = self._watch.look(step, evaluation.samples, evaluation.final, evaluation.level)
        if self._lineage is not None:
            final = {"final": True} if evaluation.final else {}
            self._lineage.add_once(step, "evaluation", final | ({} if look is None else look.to_json()))
        done = self._done(step)
        consequence = done or self._decide(look)
        if consequence == "none":
            self._stand_on(step, evaluation.samples)
            if step or self._on_regression == "rollback":
                self._saver.save_once(trainer, module)
        elif consequence == "rollback":
            if done is None:
                assert look is not None
                self._go_back(trainer, module, look)
            self.standing = self._good
        else:
            self.standing = evaluation.samples
            if consequence == "stop" and done is None:
                module.last = trainer.should_stop = True
                self._saver.save(trainer, module)
        if done is None and consequence != "none":
            self._record(step, look, consequence)
        return consequence

    def _decide(self, look: Look | None) -> Consequence:
        if look is None or not look.regressed:
            return "none"
        if self._on_regression != "rollback":
            return self._on_regression
        by_gate = sum(done["by"] == "gate" for done in self._saver.rollbacks)
        return "rollback" if self._saver.has(self._saver.good_step) and by_gate < self._rollback.most else "stop"

    def _done(self, step: int) -> Consequence | None:
        """What has come of the evaluation at `step` before this process began; None where nothing has.

        A rollback counts where it is in the checkpoint; the lineage gets its event where a kill left it out.
        """
        back = [done for done in self._saver.rollbacks if done["step"] == step]
        found: Consequence | None = "rollback" if back else None
        if self._lineage is not None:
            recorded = [event for event in self._lineage.events("rollback") if event["step"] == step]
            for done in back[len(recorded) :]:
                self._lineage.add(step, "rollback", _without_step(done))
            for consequence in CONSEQUENCES[:2]:
                if any(event["step"] == step for event in self._lineage.events(consequence)):
                    found = found or consequence
        return gather(found)[0]

    def _stand_on(self, step: int, samples: Sequence[Sample] | None) -> None:
        self._saver.good_step, self._good, self.standing = step, samples, samples

    def _go_back(self, trainer: Trainer, module: PolicyTraining, look: Look) -> None:
        """The checkpoint that is written last is the rollback: before it nothing has happened."""
        step = self._saver.good_step
        assert step is not None
        found = self._suspects([verdict.domain for verdict in look.regressed])
        good = self._saver.read(step)
        state = go_back(self._saver.state(module), good, self._rollback, found, self._weights, "gate")
        self._saver.load(trainer, module, step)
        module.resume(module.step, state)
        self._saver.rollbacks = state["rollbacks"]
        module.sync.push(module.network, version=module.step)
        self._saver.save(trainer, module)

    def _suspects(self, regressed: Sequence[str]) -> list[str] | None:
        """Whose updates worked against the regressed domains by the run's last record; None where there is none."""
        found = self._lineage.events("interference") if self._lineage is not None else []
        (last, *_) = gather(found[-1] if found else None)
        return None if last is None else accused(last, regressed)

    def _record(self, step: int, look: Look | None, consequence: Consequence) -> None:
        """Say what has been done: it is on disk by now."""
        back = self._saver.rollbacks[-1] if consequence == "rollback" else {}
        if self._lineage is not None:
            self._lineage.add(step, consequence, _without_step(back))
        if look is None or rank() != 0:
            return
        names = visible(", ".join(verdict.domain for verdict in look.regressed))
        emit(f"\nAfter step {step} worse than at {visible(look.reference)}: {names}.")
        print_table(gate_table(look.verdicts))
        if consequence == "rollback":
            emit(f"The policy goes back to that of step {back['to']}. {rollback_words(back)}")
        else:
            emit(
                {"warn": "The run goes on (evaluation.on_regression=warn).", "stop": "The run stops here."}[consequence]
            )


def _without_step(done: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in done.items() if name != "step"}
