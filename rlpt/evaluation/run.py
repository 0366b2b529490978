"""`rlpt eval`: one policy on the fixed suites of its domains."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hydra.utils import instantiate
from omegaconf import DictConfig

from rlpt.run_dir import RunDir

if TYPE_CHECKING:
    from rlpt.domains.protocol import Domain
    from rlpt.evaluation.measure import Tasks
    from rlpt.evaluation.sample import Sample
    from rlpt.evaluation.suite import Suite


def evaluate(cfg: DictConfig, run_dir: Path) -> dict[str, Any]:
    """Measure `cfg.policy`, record the samples in `run_dir`, print the table and return the summary.

    What was measured before on the same model, suite and sampling is taken from the cache folder, unless
    `evaluation.reuse=false`; where that is everything, no engine is started.
    """
    from rlpt.assembly import load_domains, model_folder, share_cores
    from rlpt.evaluation.measure import describe_suite, suite_tasks
    from rlpt.evaluation.reuse import Results
    from rlpt.evaluation.store import record_suite
    from rlpt.tracking.environment import describe_environment, write_environment

    started = time.monotonic()
    share_cores(cfg.hardware)
    run = RunDir(run_dir)
    domains = load_domains(cfg)
    folder = model_folder(cfg, domains)
    tasks = suite_tasks(cfg, domains)
    suite = describe_suite(cfg, tasks)
    record_suite(run, suite)
    fingerprints = {f"{name}/{part.split}": part.fingerprint for name, part in suite.items()}
    write_environment(run, describe_environment(fingerprints))
    results = Results(cfg, folder, tasks, suite)
    known = results.find() if cfg.evaluation.reuse else {}
    missing = {name: own for name, own in tasks.items() if name not in known}
    _announce(cfg, suite, known)
    fresh = _measure(cfg, run, folder, domains, missing) if missing else []
    results.keep(fresh)
    mine = {name: known.get(name) or [sample for sample in fresh if sample.domain == name] for name in tasks}
    return _conclude(cfg, run, folder, suite, [sample for name in tasks for sample in mine[name]], started)


def _measure(cfg: DictConfig, run: RunDir, folder: Path, domains: Mapping[str, Domain], tasks: Tasks) -> list[Sample]:
    from rlpt.assembly import build_actors
    from rlpt.evaluation.gold import check_gold
    from rlpt.evaluation.measure import is_greedy, measure

    with build_actors(cfg, folder, run, rank=0) as actors:
        check_gold(cfg, domains, {cfg.evaluation.split: tasks}, actors.pool)
        wanted = cfg.evaluation
        return measure(actors, tasks, wanted.samples_per_task, wanted.seed, is_greedy(cfg))


def _announce(cfg: DictConfig, suite: Suite, known: Mapping[str, object]) -> None:
    """Say what is measured and what is taken from the cache."""
    fresh = [part for name, part in suite.items() if name not in known]
    tasks = sum(part.tasks for part in fresh)
    if fresh:
        print(f"evaluating {cfg.policy.name}: {tasks} tasks of {_named(suite, known, reused=False)}", flush=True)
    if known:
        print(
            f"measured before and taken from the cache: {_named(suite, known, reused=True)}; evaluation.reuse=false "
            "measures again",
            flush=True,
        )


def _named(suite: Suite, known: Mapping[str, object], reused: bool) -> str:
    return ", ".join(f"{name} ({part.identity})" for name, part in suite.items() if (name in known) == reused)


def _conclude(
    cfg: DictConfig, run: RunDir, folder: Path, suite: Suite, samples: list[Sample], started: float
) -> dict[str, Any]:
    """Record and print what the samples come to."""
    from rlpt.assembly import plain
    from rlpt.evaluation.statistics import summarise
    from rlpt.evaluation.summary import evaluation_metrics, evaluation_summary
    from rlpt.evaluation.table import pass_table, print_table, summary_table
    from rlpt.tracking.artifacts import run_inputs
    from rlpt.tracking.opening import run_info
    from rlpt.tracking.recorder import Recorder

    confidence = cfg.evaluation.confidence
    summaries = summarise(samples, confidence)
    summary = evaluation_summary(summaries, confidence, time.monotonic() - started, suite=suite)
    recorder = Recorder(run_info(run, plain(cfg), "eval"), instantiate(cfg.tracker, _partial_=True))
    for artifact in run_inputs(run, folder):
        recorder.artifact(0, artifact)
    recorder.evaluation(0, [sample.to_json() for sample in samples], evaluation_metrics(summaries, suite))
    recorder.summary(summary)
    recorder.finish(0)
    for table in (summary_table(summaries, confidence), pass_table(summaries, confidence)):
        if table is not None:
            print()
            print_table(table)
    print(f"\nEverything is in {run.root}", flush=True)
    return summary
