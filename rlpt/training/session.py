"""One rank's part in a training run, from its first evaluation to its last."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from hydra.utils import instantiate
from omegaconf import DictConfig

from rlpt.actors import Actors
from rlpt.assembly import build_mixture, plain, plan_run
from rlpt.budget.meter import Meter
from rlpt.budget.plan import check_plan, format_plan
from rlpt.domains.protocol import Domain, load_tasks
from rlpt.domains.splits import fingerprint
from rlpt.evaluation.gate.verdict import rules_of
from rlpt.evaluation.gold import check_gold
from rlpt.evaluation.measure import describe_suite, suite_tasks
from rlpt.evaluation.statistics import DomainComparison, compare_samples
from rlpt.evaluation.store import record_suite
from rlpt.evaluation.summary import training_summary
from rlpt.evaluation.table import comparison_table, print_table
from rlpt.policy.export import export_folder
from rlpt.policy.network import DTYPES
from rlpt.policy.sharding import full_weights
from rlpt.run_dir import RunDir
from rlpt.tracking.artifacts import policy_artifact, run_inputs
from rlpt.tracking.environment import describe_environment, write_environment
from rlpt.tracking.opening import run_info
from rlpt.tracking.progress import ProgressLine
from rlpt.tracking.recorder import Recorder
from rlpt.training.beginning import record_start
from rlpt.training.callbacks.count import Count
from rlpt.training.callbacks.evaluate import Evaluate
from rlpt.training.callbacks.finish import Finish
from rlpt.training.callbacks.follow import Follow
from rlpt.training.callbacks.interrupt import Interrupt
from rlpt.training.callbacks.record import Checkpoint, Record
from rlpt.training.callbacks.restore import Restore
from rlpt.training.fitting import Steps, build_trainer
from rlpt.training.gate_building import build_gate, earlier_evaluations
from rlpt.training.module import PolicyTraining
from rlpt.training.recipe import build_recipe
from rlpt.training.saving import Saver
from rlpt.training.serving import verify_export
from rlpt.training.states import newest_state
from rlpt.training.sync import WeightSync

NEW: dict[str, Any] = {"step": 0, "updates": 0, "rollbacks": []}


def run_session(
    cfg: DictConfig,
    run: RunDir,
    folder: Path,
    domains: Mapping[str, Domain],
    actors: Actors,
    rank: int,
    started: float,
) -> dict[str, Any]:
    """Evaluate, train, evaluate; record everything and print the table. Returns the summary.

    Raises:
        KeyboardInterrupt: after Ctrl-C or SIGTERM, once the step in hand is saved.
    """
    state = newest_state(run) or NEW
    tasks = suite_tasks(cfg, domains)
    suite = describe_suite(cfg, tasks)
    recipe = build_recipe(cfg.algorithm, max(actors.max_new_tokens.values()))
    plan = plan_run(cfg, folder, actors.tokenizer, tasks, recipe.looks)
    check_plan(plan)
    comparisons: list[DomainComparison] = []
    with ExitStack() as stack:
        # First in, last out: the table stands below everything else, also where the export fails.
        stack.callback(_print_comparisons, comparisons)
        recorder = None
        if rank == 0:
            print(format_plan(plan), flush=True)
            training = {name: load_tasks(name, domain, "train") for name, domain in domains.items()}
            check_gold(cfg, domains, {"train": training, cfg.evaluation.split: tasks}, actors.pool)
            record_suite(run, suite)
            fingerprints = {f"{name}/train": fingerprint(own) for name, own in training.items()}
            fingerprints |= {f"{name}/{part.split}": part.fingerprint for name, part in suite.items()}
            write_environment(run, describe_environment(fingerprints), state["step"])
            recorder = _open_recorder(cfg, run, folder, state["step"])
            stack.push(lambda kind, error, trace: recorder.finish(0 if kind is None else 1))
        sync = WeightSync(actors.sampler, DTYPES[cfg.sampler.dtype])
        stack.callback(sync.close)
        module = PolicyTraining(cfg, folder, actors, build_mixture(cfg, domains), sync)
        interrupt = Interrupt()
        meter = Meter(plan.parameters, started)
        if "meter" in state:
            meter.load_state_dict(state["meter"])
        finish = Finish(cfg.budget, interrupt, meter)
        lineage = None if recorder is None else recorder.local.lineage
        saver = Saver(run, cfg.checkpoint.keep, meter, lineage, state["rollbacks"])
        gate = build_gate(cfg, saver, lineage, suite)
        follow = Follow(list(cfg.domain), cfg.evaluation, run)
        earlier = earlier_evaluations(run, state["step"])
        gate.replay(earlier, state["step"])
        if lineage is not None:
            record_start(lineage, cfg, state)
        evaluate = Evaluate(tasks, suite, cfg.evaluation, finish, recorder, gate, follow, earlier)
        callbacks = [interrupt, Restore(saver, state), finish, Count(), follow]
        if recorder is not None:
            callbacks.append(Record(recorder, stack.enter_context(ProgressLine(cfg.budget.steps))))
        callbacks += [Checkpoint(saver, cfg.checkpoint.every), evaluate]
        build_trainer(cfg.hardware, callbacks).fit(module, Steps(state["step"]))
        if lineage is not None:
            lineage.add(module.step, "end", {"interrupted": finish.interrupted})
        if finish.interrupted:
            raise KeyboardInterrupt(f"Stopped after step {module.step}; go on with: rlpt train resume={run.root}")
        summary: dict[str, Any] = {}
        if recorder is not None:
            if evaluate.before is not None and evaluate.after is not None:
                level = gate.last.level if gate.last is not None else None
                comparisons += compare_samples(evaluate.before, evaluate.after, rules_of(plain(cfg.evaluation)), level)
            identities = {name: part.identity for name, part in suite.items()}
            extra = {"suites": identities, **meter.totals()}
            summary = training_summary(comparisons, module.step, meter.wall_s, extra)
            recorder.summary(summary)
        if cfg.serving.export:
            weights = full_weights(module.network, DTYPES[cfg.policy.dtype])
            if cfg.serving.verify:
                # Both answers that are compared start from an empty prefix cache: rounding depends on what is cached.
                sync.push(module.network, version=module.step)
            if rank == 0:
                export_folder(weights, folder, run.policy)
                if recorder is not None:
                    recorder.artifact(module.step, policy_artifact(run, module.step))
                if cfg.serving.verify:
                    verify_export(actors, [own[0] for own in tasks.values()], run.policy, module.step)
    if rank == 0:
        print(f"\n{module.step} steps in {meter.wall_s:.0f} s; everything is in {run.root}", flush=True)
    return summary


def _print_comparisons(comparisons: Sequence[DomainComparison]) -> None:
    if comparisons:
        print()
        print_table(comparison_table(comparisons))


def _open_recorder(cfg: DictConfig, run: RunDir, policy: Path, start_step: int) -> Recorder:
    recorder = Recorder(run_info(run, plain(cfg), "train", start_step), instantiate(cfg.tracker, _partial_=True))
    for artifact in run_inputs(run, policy):
        recorder.artifact(start_step, artifact)
    return recorder
