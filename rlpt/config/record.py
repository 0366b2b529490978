"""The config's part of a run directory: claiming the directory, writing config.yaml and overrides.yaml, resuming."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml
from omegaconf import DictConfig, OmegaConf

from rlpt.errors import UserError
from rlpt.run_dir import RunDir, open_run

MOST_NAMESAKES = 1000


def claim(folder: Path) -> Path:
    """Create `folder` for one run and return it, or `folder-2`, `folder-3`, ... where another run was faster.

    Creating is the claim, so two runs that start in the same second never share a directory.

    Raises:
        UserError: where no directory can be made there.
    """
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        for name in _namesakes(folder):
            try:
                name.mkdir()
            except FileExistsError:
                continue
            return name
    except OSError as error:
        raise _unwritable(folder, error) from error
    raise UserError(f"{folder} and {MOST_NAMESAKES} directories of that name exist; choose another with name=NAME.")


def claim_exactly(folder: Path) -> Path:
    """Create `folder`, which the user named, or take it where it is there and holds no run.

    Raises:
        UserError: where it holds a run, or cannot be made or written.
    """
    if RunDir(folder).config.exists():
        raise UserError(f"{folder} holds a run already; go on with it by resume={folder} or choose another directory.")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe = folder / ".rlpt-probe"
        probe.touch()
        probe.unlink()
    except OSError as error:
        raise _unwritable(folder, error) from error
    return folder


def save(folder: Path, cfg: DictConfig, overrides: Sequence[str], choices: Mapping[str, str]) -> None:
    """Write the resolved config, the overrides and the chosen option of each group; former ones stay beside.

    Raises:
        UserError: where the directory cannot be written.
    """
    run = RunDir(folder)
    try:
        _write(run.config, OmegaConf.to_yaml(cfg))
        _write(run.overrides, yaml.safe_dump(list(overrides), allow_unicode=True, width=1000))
        _write(run.choices, yaml.safe_dump(dict(choices)))
    except OSError as error:
        raise _unwritable(folder, error) from error


def recorded_config(folder: Path) -> dict[str, Any]:
    """The config that the run was started with, as plain dicts.

    Raises:
        UserError: where `folder` is no run, or its config cannot be read.
    """
    value = _read(open_run(folder).config)
    if not isinstance(value, dict):
        raise UserError(f"{RunDir(folder).config} does not hold a config; choose another run.")
    return value


def recorded_overrides(folder: Path) -> list[str]:
    """The overrides that the run was started with.

    Raises:
        UserError: where `folder` is no run, or they cannot be read.
    """
    value = _read(open_run(folder).overrides)
    if not isinstance(value, list):
        raise UserError(f"{RunDir(folder).overrides} does not hold a list of overrides; choose another run.")
    return [str(override) for override in value]


def _namesakes(folder: Path) -> Iterable[Path]:
    yield folder
    yield from (folder.with_name(f"{folder.name}-{number}") for number in range(2, MOST_NAMESAKES))


def _write(path: Path, text: str) -> None:
    if path.exists():
        former = path.read_text(encoding="utf-8")
        if former == text:
            return
        names = (_yaml(name) for name in _namesakes(path.with_name(f"{path.stem}-before-resume")))
        next(name for name in names if not name.exists()).write_text(former, encoding="utf-8")
    # Renamed into place: a run that is killed here still has a whole config to be resumed from.
    scratch = path.with_name(f".{path.name}")
    scratch.write_text(text, encoding="utf-8")
    scratch.replace(path)


def _yaml(path: Path) -> Path:
    return path.with_name(f"{path.name}.yaml")


def _read(path: Path) -> object:
    try:
        return yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeError, yaml.YAMLError) as error:
        raise UserError(f"{path} cannot be read ({error.__class__.__name__}); choose another run.") from error


def _unwritable(folder: Path, error: OSError) -> UserError:
    return UserError(
        f"The run directory {folder} cannot be written ({error.strerror}); "
        "choose another with hydra.run.dir=PATH or start in a folder that you may write."
    )
