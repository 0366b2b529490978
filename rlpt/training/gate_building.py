"""The gate of a run, from its configuration and from what the run has measured."""

from __future__ import annotations

from omegaconf import DictConfig

from rlpt.assembly import plain
from rlpt.evaluation.gate.verdict import GateRules
from rlpt.evaluation.gate.watch import BEST, START, Measured, Watch
from rlpt.evaluation.report.sources import open_sources
from rlpt.evaluation.sample import Sample
from rlpt.evaluation.store import load_evaluation
from rlpt.evaluation.suite import Suite, check_same
from rlpt.run_dir import RunDir
from rlpt.tracking.lineage import Lineage
from rlpt.training.gate import Gate, Rollback
from rlpt.training.saving import Saver


def earlier_evaluations(run: RunDir, step: int) -> dict[int, list[Sample]]:
    """What a run that is resumed after `step` steps has measured up to there."""
    done = [own for own in run.evaluation_steps() if own <= step] if step else []
    return {own: load_evaluation(run, own).samples for own in done}


def build_gate(cfg: DictConfig, saver: Saver, lineage: Lineage | None, suite: Suite) -> Gate:
    """The gate that the group `evaluation` describes. Rank 0 has the `lineage`.

    Raises:
        UserError: where its numbers make no sense, or the run that it names has no evaluation of this suite.
    """
    options = cfg.evaluation
    rules = GateRules(
        options.false_alarms, options.tolerance, plain(options.tolerances), options.detects, options.power
    )
    reference: Measured | str = options.reference
    if options.reference not in (START, BEST):
        (source,) = open_sources([options.reference])
        check_same(source.evaluation.suite, suite, (source.evaluation.name, "this run"))
        reference = Measured(source.evaluation.name, source.evaluation.samples)
    interim = (cfg.budget.steps - 1) // options.every if options.every else 0
    watch = Watch(rules, interim, reference)
    return Gate(watch, options.on_regression, Rollback(**plain(options.rollback)), saver, lineage)
