"""Starting what was asked for, once its config is known to be good: one run here, or the jobs of a sweep."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

from omegaconf import DictConfig, OmegaConf

from rlpt.commands.job import Failed
from rlpt.config import record
from rlpt.config.composer import Composer
from rlpt.config.explain import explain_parsing
from rlpt.config.preflight import check_here, compose_checked, runs_here
from rlpt.config.required import check_values
from rlpt.config.resolve import as_dict, resolved
from rlpt.config.rewrite import as_run, evaluated_run, quoted, resume_target, resumed, written_out
from rlpt.errors import UserError
from rlpt.run_dir import RunDir
from rlpt.run_lock import check_idle

RUN_ERROR = 1

OF_A_RUN = ("domain", "tool", "sampler", "sandbox", "verification", "evaluation")
"""What `rlpt eval run=RUN` takes from the run's config, beside the policy."""


@dataclass(frozen=True, slots=True)
class Request:
    """What one command line asks for, once its short forms are written out.

    A resumed run also has its directory, and what its old overrides compose to now. A run that is evaluated with its
    own settings has those as `recorded`, and what their overrides compose to now.
    """

    overrides: list[str]
    resumes: Path | None = None
    started_with: Mapping[str, Any] | None = None
    recorded: Mapping[str, Any] | None = None


def request(session: Composer, overrides: Sequence[str]) -> Request:
    """Read the overrides of one run.

    Raises:
        UserError: where `resume=` names no run.
    """
    written = written_out(session, overrides)
    run = resume_target(overrides)
    if session.verb == "eval" and (named := evaluated_run(overrides)) is not None:
        before, now = as_run(*named, written)
        config = record.recorded_config(named[0])
        recorded = {key: config[key] for key in OF_A_RUN if key in config}
        return Request(now, None, as_dict(resolved(compose_checked(session, before))), recorded)
    if run is None:
        return Request(written)
    before, now = resumed(run, written)
    return Request(now, run, as_dict(resolved(compose_checked(session, before))))


def launch_run(session: Composer, asked: Request) -> int:
    """Run in this process and return the exit code.

    Raises:
        UserError: before anything is started or created.
    """
    cfg = compose_checked(session, asked.overrides)
    check_values(cfg)
    check_here(resolved(cfg))
    if asked.resumes is None:
        folder = _claimed(cfg, "hydra.run.dir", asked.overrides)
    else:
        check_idle(RunDir(asked.resumes))
        folder = f"hydra.run.dir={quoted(str(asked.resumes))}"
    task = partial(_task(session.verb), started_with=asked.started_with)
    if asked.recorded is not None:
        task = partial(task, recorded=asked.recorded)
    outcome = session.hydra.run(session.root, task, [*asked.overrides, folder]).return_value
    return RUN_ERROR if isinstance(outcome, Failed) else 0


def launch_sweep(session: Composer, overrides: Sequence[str]) -> int:
    """Run every combination through Hydra's sweeper and launcher, and return the exit code.

    Raises:
        UserError: before anything is started or created, if any of the combinations cannot work.
    """
    if resume_target(overrides) is not None:
        raise UserError("resume= goes on with one run and -m starts several; leave out one of them.")
    if session.verb == "eval" and evaluated_run(overrides) is not None:
        raise UserError("run= evaluates one run and -m starts several; leave out one of them.")
    written = written_out(session, overrides)
    cfg = _check_combinations(session, written)
    hydra = [_claimed(cfg, "hydra.sweep.dir", written), "hydra.mode=MULTIRUN"]
    batches = session.hydra.multirun(session.root, _task(session.verb), [*written, *hydra])
    jobs = [job for batch in batches or () for job in batch]
    failed = [job for job in jobs if isinstance(job.return_value, Failed)]
    _report(jobs)
    if failed:
        # Said again here: a job of a cluster has said it into a log file of its own.
        print(f"rlpt: {len(failed)} of {len(jobs)} runs failed:", file=sys.stderr)
        for job in failed:
            print(f"  {' '.join(job.overrides or ())}: {job.return_value.sentence}", file=sys.stderr)
    return RUN_ERROR if failed else 0


def _report(jobs: Sequence[Any]) -> None:
    """Print what came of the runs that worked."""
    from rlpt.commands.sweep_table import SweepRun, sweep_table
    from rlpt.evaluation.table import print_table

    folders = [Path(OmegaConf.select(job.hydra_cfg, "hydra.runtime.output_dir")) for job in jobs]
    runs = [
        SweepRun(folder.name, job.overrides, job.return_value)
        for folder, job in zip(folders, jobs, strict=True)
        if isinstance(job.return_value, Mapping)
    ]
    if runs:
        print()
        print_table(sweep_table(runs))
        print(f"\n{len(runs)} runs are in {folders[0].parent}", flush=True)


def _check_combinations(session: Composer, overrides: list[str]) -> DictConfig:
    """Check every job's config and return the first. Sweeps may also stand in a file, as `hydra.sweeper.params`."""
    if sentence := explain_parsing(session, overrides):
        raise UserError(sentence)
    first = compose_checked(session, session.combinations(overrides)[0])
    params = OmegaConf.select(first, "hydra.sweeper.params") or {}
    swept = [f"{key}={value}" for key, value in params.items()]
    for combination in session.combinations([*swept, *overrides]):
        cfg = compose_checked(session, combination)
        check_values(cfg)
        if runs_here(cfg):
            check_here(resolved(cfg))
    return first


def _claimed(cfg: DictConfig, key: str, overrides: Sequence[str]) -> str:
    """The override that points Hydra to a directory made for this run or sweep alone."""
    folder = Path(str(OmegaConf.select(cfg, key))).absolute()
    named = any(text.lstrip("+").startswith(f"{key}=") for text in overrides)
    return f"{key}={quoted(str(record.claim_exactly(folder) if named else record.claim(folder)))}"


def _task(verb: str) -> Callable[..., object]:
    task: Callable[..., object] = import_module(f"rlpt.commands.{verb}").run
    return task
