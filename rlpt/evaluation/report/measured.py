"""Where the stored evaluations of a folder lie: in the folder itself, or in what `rlpt eval` left of it."""

from __future__ import annotations

import shlex
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import yaml

from rlpt.errors import UserError
from rlpt.run_dir import RunDir, open_run

RUNS = ("runs/*/*/config.yaml", "runs/*/*/*/config.yaml")
"""Where runs and the runs of sweeps are made, below the working directory."""


def measured(folder: Path) -> RunDir:
    """The run that holds the evaluations of `folder`: a run directory, or a model folder that `rlpt eval` measured.

    Of several measurements the last one counts, of a model folder whose weights changed since then none. Raises
    UserError where there is none, with the command that makes one.
    """
    model = (folder / "config.json").is_file() and not RunDir(folder).config.is_file()
    run = RunDir(folder) if model else open_run(folder)
    if run.evaluation_steps():
        return run
    found = [other for other in _measurements() if _policy(other) in _names(folder)]
    fresh = [other for other in found if _written(other) >= _changed(folder)]
    if fresh:
        return max(fresh, key=_written)
    if folder.name == "policy" and RunDir(folder.parent).evaluation_steps():
        raise UserError(f"{folder} is what the run {folder.parent} made; compare {folder.parent}@last.")
    why = "changed since it was measured" if found else "was not measured here" if model else "holds no evaluation"
    command = f"rlpt eval {shlex.quote(f'policy={folder}')}"
    raise UserError(f"{folder} {why}; run `{command}` with the settings of what it is compared with, then compare.")


def _measurements() -> Iterable[RunDir]:
    """Finished evaluations made from the working directory."""
    runs = (RunDir(config.parent) for pattern in RUNS for config in Path().glob(pattern))
    return (run for run in runs if run.evaluation_steps() == [0] and run.suite.is_file())


def _policy(run: RunDir) -> Path | None:
    """The folder whose policy `rlpt eval` measured in `run`; None where the run is no such measurement."""
    text = run.config.read_text(encoding="utf-8", errors="replace")
    if "rlpt.policy.hf.folder" not in text:
        return None  # reading YAML is slow, and there may be many runs
    try:
        config: Any = yaml.safe_load(text)
        path = None if "algorithm" in config else config["policy"]["path"]
    except (yaml.YAMLError, TypeError, KeyError):
        return None
    return Path(path).expanduser().resolve() if isinstance(path, str) else None


def _names(folder: Path) -> set[Path]:
    """All folders by which `rlpt eval policy=...` may have been given the same weights."""
    real = folder.resolve()
    return {real, real / "policy"} | ({real.parent} if real.name == "policy" else set())


def _written(run: RunDir) -> float:
    return run.evaluation(run.evaluation_steps()[-1]).stat().st_mtime


def _changed(folder: Path) -> float:
    weights = [*folder.glob("*.safetensors"), *(folder / "policy").glob("*.safetensors")]
    return max((file.stat().st_mtime for file in weights), default=0.0)
