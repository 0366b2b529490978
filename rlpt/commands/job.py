"""One run, in the process that runs it: here, in a sweep, or on a node of a cluster."""

from __future__ import annotations

import os
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hydra.core.hydra_config import HydraConfig
from hydra.errors import InstantiationException
from hydra.types import RunMode
from omegaconf import DictConfig

from rlpt.config import precision, record
from rlpt.config.preflight import check_combinations, check_here
from rlpt.config.required import check_values
from rlpt.config.resolve import as_dict, frozen, rebase_dict, resolved
from rlpt.errors import UserError, complain

Body = Callable[[DictConfig, Path], object]


@dataclass(frozen=True, slots=True)
class Failed:
    """What a job returns that has failed and has said so: the other jobs of a sweep go on.

    A run on its own lets everything but a UserError through.
    """

    sentence: str


def run_job(
    verb: str,
    body: Body,
    cfg: DictConfig,
    started_with: Mapping[str, Any] | None = None,
    recorded: Mapping[str, Any] | None = None,
) -> object:
    """Check the config here, record it in the run directory and call `body(cfg, run_dir)`.

    Args:
        verb: `train`, `eval` or `sft`.
        body: what the verb does; gets the resolved, read-only config.
        cfg: as Hydra composed it.
        started_with: for a resumed run, what its old overrides compose to now; see `rlpt.config.resolve.rebase_dict`.
        recorded: what was recorded then, where that is not the config in this run's directory.

    Returns:
        What `body` returns, or Failed.
    """
    hydra = HydraConfig.get()
    run_dir = Path(hydra.runtime.output_dir)
    wants_traceback = traceback_wanted(hydra.overrides.task)
    try:
        check_values(cfg)
        if started_with is not None and recorded is None:
            recorded = record.recorded_config(run_dir)
        config = _effective(cfg, started_with, recorded)
        check_combinations(verb, config)
        check_here(config)
        overrides = replayable(hydra.overrides.task, hydra.overrides.hydra)
        record.save(run_dir, config, overrides, chosen_options(hydra.runtime.choices))
        return body(config, run_dir)
    except (UserError, InstantiationException) as error:
        users = _users_error(error)
        if users is None:
            raise
        complain(users, wants_traceback)
        return Failed(str(users))
    except Exception as error:
        if hydra.mode != RunMode.MULTIRUN:
            raise
        # A bug in one run of a sweep takes nothing from the others.
        traceback.print_exc()
        return Failed(f"{type(error).__name__}: {error}")


def replayable(task: Sequence[str], hydra: Sequence[str]) -> list[str]:
    """The overrides that compose this config again; Hydra's own are about where and how it ran."""
    return [*(text for text in hydra if text.startswith("hydra.searchpath=")), *task]


def chosen_options(choices: Mapping[Any, Any]) -> dict[str, str]:
    """Hydra's `choices` without its own groups and those from which nothing is chosen: `algorithm` -> `grpo`."""
    return {str(group): str(option) for group, option in choices.items() if option and not group.startswith("hydra/")}


def traceback_wanted(overrides: Sequence[str]) -> bool:
    """Whether the user asked for tracebacks of their own errors: `traceback=true` or RLPT_TRACEBACK=1."""
    asked = [text.partition("=")[2].lower() for text in overrides if text.lstrip("+").startswith("traceback=")]
    return (asked[-1] if asked else os.environ.get("RLPT_TRACEBACK", "").lower()) in ("true", "1", "yes", "on")


def _users_error(error: BaseException | None) -> UserError | None:
    """The UserError in a chain of causes: Hydra wraps what the class or function behind a `_target_` raises."""
    while error is not None and not isinstance(error, UserError):
        error = error.__cause__ if isinstance(error, InstantiationException) else None
    return error


def _effective(
    cfg: DictConfig, started_with: Mapping[str, Any] | None, recorded: Mapping[str, Any] | None
) -> DictConfig:
    plain = as_dict(resolved(cfg))
    if started_with is not None and recorded is not None:
        plain = rebase_dict(recorded, started_with, plain)
    hydra = HydraConfig.get()
    tracker = plain.get("tracker")
    if hydra.mode == RunMode.MULTIRUN and isinstance(tracker, dict) and tracker.get("group", "") is None:
        # With the folder above, which is the date: sweeps of two days may start at the same second.
        tracker["group"] = "/".join(Path(hydra.sweep.dir).parts[-2:])
    plain, chosen = precision.settle(plain)
    if chosen is not None:
        print(chosen, flush=True)
    return frozen(plain)
