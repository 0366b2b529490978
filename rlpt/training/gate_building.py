"""The gate of a run, from its configuration and from what the run has measured."""

from __future__ import annotations

from omegaconf import DictConfig

from rlpt.assembly import plain
from rlpt.evaluation.gate.verdict import rules_of
from rlpt.evaluation.gate.watch import BEST, START, Measured, Watch
from rlpt.evaluation.report.sources import open_sources
from rlpt.evaluation.store import load_evaluation
from rlpt.evaluation.suite import Suite, check_same
from rlpt.run_dir import RunDir
from rlpt.tracking.lineage import Lineage, read_lineage
from rlpt.training.gate import Earlier, Gate
from rlpt.training.going_back import Rollback
from rlpt.training.saving import Saver


def earlier_evaluations(run: RunDir, step: int) -> dict[int, Earlier]:
    """What a run that is resumed after `step` steps has measured up to there."""
    done = [own for own in run.evaluation_steps() if own <= step] if step else []
    events = read_lineage(run.lineage) if done and run.lineage.is_file() else []
    judged = {event["step"]: event for event in events if event["event"] == "evaluation"}
    return {
        own: Earlier(
            load_evaluation(run, own).samples,
            judged.get(own, {}).get("final", False),
            judged.get(own, {}).get("level"),
        )
        for own in done
    }


def build_gate(cfg: DictConfig, saver: Saver, lineage: Lineage | None, suite: Suite) -> Gate:
    """The gate that the group `evaluation` describes. Rank 0 has the `lineage`.

    Raises:
        UserError: where its numbers make no sense, or the run that it names has no evaluation of this suite.
    """
    options = cfg.evaluation
    rules = rules_of(plain(options))
    reference: Measured | str = options.reference
    if options.reference not in (START, BEST):
        (source,) = open_sources([options.reference])
        check_same(source.evaluation.suite, suite, (source.evaluation.name, "this run"))
        reference = Measured(source.evaluation.name, source.evaluation.samples)
    interim = (cfg.budget.steps - 1) // options.every if options.every else 0
    watch = Watch(rules, interim, reference)
    weights = {name: float(domain.weight) for name, domain in cfg.domain.items()}
    return Gate(watch, options.on_regression, Rollback(**plain(options.rollback)), weights, saver, lineage)
