"""`rlpt eval`: one policy on the fixed suites of its domains."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from hydra.utils import instantiate
from omegaconf import DictConfig

from rlpt.run_dir import RunDir


def evaluate(cfg: DictConfig, run_dir: Path) -> dict[str, Any]:
    """Measure `cfg.policy`, record the samples in `run_dir`, print the table and return the summary."""
    from rlpt.assembly import build_actors, load_domains, model_folder, plain, share_cores
    from rlpt.evaluation.gold import check_gold
    from rlpt.evaluation.measure import describe_suite, measure, suite_tasks
    from rlpt.evaluation.statistics import summarise
    from rlpt.evaluation.store import record_suite
    from rlpt.evaluation.summary import evaluation_metrics, evaluation_summary
    from rlpt.evaluation.table import print_table, summary_table
    from rlpt.tracking.environment import describe_environment, write_environment
    from rlpt.tracking.protocol import RunInfo
    from rlpt.tracking.recorder import Recorder

    started = time.monotonic()
    share_cores(cfg.hardware)
    run = RunDir(run_dir)
    domains = load_domains(cfg)
    folder = model_folder(cfg, domains)
    with build_actors(cfg, folder, run, rank=0) as actors:
        tasks = suite_tasks(cfg, domains)
        suite = describe_suite(cfg, tasks)
        record_suite(run, suite)
        fingerprints = {f"{name}/{part.split}": part.fingerprint for name, part in suite.items()}
        write_environment(run, describe_environment(fingerprints))
        check_gold(cfg, domains, {cfg.evaluation.split: tasks}, actors.pool)
        info = RunInfo(run.root, cfg.name, plain(cfg), "eval", [cfg.policy.name, *cfg.domain])
        recorder = Recorder(info, instantiate(cfg.tracker, _partial_=True))
        print(f"evaluating {cfg.policy.name}: {sum(map(len, tasks.values()))} tasks", flush=True)
        samples = measure(actors, tasks, cfg.evaluation.samples_per_task, cfg.evaluation.seed)
        summaries = summarise(samples, cfg.evaluation.confidence)
        recorder.evaluation(0, [sample.to_json() for sample in samples], evaluation_metrics(summaries))
        summary = evaluation_summary(summaries, cfg.evaluation.confidence, time.monotonic() - started)
        recorder.summary(summary)
        recorder.finish(0)
    print()
    print_table(summary_table(summaries, cfg.evaluation.confidence))
    print(f"\nEverything is in {run.root}", flush=True)
    return summary
