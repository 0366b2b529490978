"""Short ways of writing overrides, written out: `policy=FOLDER`, `+experiment=X`, `--config-dir`, `resume=RUN`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.errors import HydraException
from omegaconf import OmegaConf

from rlpt.config import record
from rlpt.config.composer import Composer
from rlpt.config.machine import looks_like_path
from rlpt.errors import UserError
from rlpt.run_dir import RunDir, split_step

PRESENT_BUT_EMPTY = frozenset({"experiment"})
"""Groups that the defaults list names without choosing an option: `+experiment=x` says the same as `experiment=x`."""


def with_config_dir(overrides: Sequence[str], config_dir: str | None) -> list[str]:
    """Add the folder of `--config-dir` to `hydra.searchpath`, from where it is also recorded with the run.

    Raises:
        UserError: where the folder does not exist.
    """
    if config_dir is None:
        return list(overrides)
    folder = Path(config_dir).expanduser().absolute()
    if not folder.is_dir():
        raise UserError(f"--config-dir {config_dir} is no folder; name the folder that holds your own groups.")
    given = [text for text in overrides if text.startswith("hydra.searchpath=")]
    rest = [text for text in overrides if not text.startswith("hydra.searchpath=")]
    listed = [text.partition("=")[2].strip().removeprefix("[").removesuffix("]") for text in given]
    paths = ",".join([*(one for one in listed if one), quoted(f"file://{folder}")])
    return [f"hydra.searchpath=[{paths}]", *rest]


def written_out(composer: Composer, overrides: Sequence[str]) -> list[str]:
    """Write `policy=FOLDER` as `policy=hf policy.path=FOLDER` and `+experiment=X` as `experiment=X`.

    `policy=RUN@12`, `RUN@last` and `RUN@0` become `policy=run` with its path and step. A run directory brings along the
    precision, context length and tool parser that its policy was trained with.
    """
    result: list[str] = []
    for text in overrides:
        key = text.partition("=")[0]
        if key.startswith("+") and key[1:] in PRESENT_BUT_EMPTY and key[1:] in composer.groups:
            result.append(text[1:])
        elif key == "policy" and (found := _policy_step(text)) is not None:
            result += policy_of_step(*found)
        elif key == "policy" and (path := _policy_path(composer, text)) is not None:
            result += ["policy=hf", f"policy.path={quoted(path)}", *_trained_with(Path(path).expanduser())]
        else:
            result.append(text)
    return result


def policy_of_step(run: Path, step: str) -> list[str]:
    """The overrides that choose the policy of a step of `run`, with what it was trained with."""
    return ["policy=run", f"policy.path={quoted(str(run))}", f"policy.step={step}", *_trained_with(run)]


def evaluated_run(overrides: Sequence[str]) -> tuple[Path, str] | None:
    """The run directory and the step that `run=RUN@12` names, if any; the step is `last` for `run=RUN`."""
    named = [_value(text) for text in overrides if text.lstrip("+").startswith("run=")]
    if not named or not named[-1]:
        return None
    run, step = split_step(named[-1])
    return run.absolute(), step or "last"


def as_run(run: Path, step: str, overrides: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the overrides that choose the policy and the domains of `run`, and these with the new ones behind them.

    Raises:
        UserError: where `run` is no run directory, or one without domains.
    """
    domains = record.recorded_config(run).get("domain")
    if not isinstance(domains, dict) or not domains:
        raise UserError(f"run={run} was started without domains; name a run of rlpt train or rlpt eval.")
    recorded = record.recorded_overrides(run) if RunDir(run).overrides.is_file() else []
    new = [text for text in overrides if not text.lstrip("+").startswith("run=")]
    own_groups = any(text.startswith("hydra.searchpath=") for text in new)
    paths = [text for text in recorded if text.startswith("hydra.searchpath=") and not own_groups]
    before = [*paths, f"domain=[{','.join(domains)}]", *policy_of_step(run, step)]
    return before, [*before, *new]


def resume_target(overrides: Sequence[str]) -> Path | None:
    """The run directory that `resume=RUN` names, if any."""
    named = [_value(text) for text in overrides if text.lstrip("+").startswith("resume=")]
    return Path(named[-1]).expanduser().absolute() if named and named[-1] else None


def resumed(run: Path, overrides: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the overrides that `run` was started with, and these with the new ones behind them.

    Raises:
        UserError: where `run` is no run directory.
    """
    before = [text for text in record.recorded_overrides(run) if not text.lstrip("+").startswith("resume=")]
    new = [text for text in overrides if not text.lstrip("+").startswith("resume=")]
    if any(text.startswith("hydra.searchpath=") for text in new):
        before_without = [text for text in before if not text.startswith("hydra.searchpath=")]
    else:
        before_without = before
    return before, [*before_without, *new, f"resume={quoted(str(run))}"]


def quoted(text: str) -> str:
    """`text` as a value that Hydra's grammar takes as it is, whatever characters it holds."""
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


def _policy_path(composer: Composer, text: str) -> str | None:
    path = _value(text)
    if not path or path in composer.groups.get("policy", ()):
        return None
    return path if "/" in path or looks_like_path(path) or Path(path).is_dir() else None


def _policy_step(text: str) -> tuple[Path, str] | None:
    path = _value(text)
    run, step = split_step(path) if path else (None, None)
    return (run.absolute(), step) if run is not None and step is not None else None


def _value(text: str) -> str | None:
    """The value of an override where that is one text, without its quotes."""
    try:
        override = OverridesParser.create().parse_override(text)
    except HydraException:
        return None  # said where the override is read for good
    value = None if override.is_sweep_override() else override.value()
    return value if isinstance(value, str) else None


def _trained_with(folder: Path) -> list[str]:
    if not RunDir(folder).config.is_file():
        return []
    policy: Any = OmegaConf.create(record.recorded_config(folder)).get("policy") or {}
    kept = ("dtype", "context_length", "tool_parser")
    return [f"policy.{key}={policy[key]}" for key in kept if policy.get(key) is not None]
