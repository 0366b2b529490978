"""From a composed config to the plain one that everything else reads, and back from a recorded one."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

from omegaconf import DictConfig, OmegaConf, flag_override
from omegaconf.errors import InterpolationToMissingValueError, OmegaConfBaseException

from rlpt.config.keys import children
from rlpt.errors import UserError

MISSING = "???"


def resolved(cfg: DictConfig) -> DictConfig:
    """Return `cfg` without Hydra's node, interpolations replaced by values, enums by their names, schemas dropped.

    Keys that still have no value, and those that refer to one, stay `???`. The result is read-only, and asking it for
    an unknown key is an error.

    Raises:
        UserError: where an interpolation refers to something that does not exist.
    """
    try:
        plain = OmegaConf.to_container(_without_dead_ends(cfg), resolve=True, enum_to_str=True)
    except OmegaConfBaseException as error:
        where = f"{error.full_key}: " if error.full_key else ""
        raise UserError(f"{where}{str(error.msg or error).splitlines()[0]}.") from error
    assert isinstance(plain, dict)
    return frozen(plain)


def _without_dead_ends(cfg: DictConfig) -> DictConfig:
    cfg = copy.deepcopy(cfg)
    with flag_override(cfg, ["readonly", "struct"], [False, False]):
        cfg.pop("hydra", None)
        _cut_dead_ends(cfg)
    return cfg


def _cut_dead_ends(node: DictConfig) -> None:
    for key in node:
        if OmegaConf.is_interpolation(node, str(key)):
            try:
                node[key]
            except InterpolationToMissingValueError:
                node[key] = MISSING
    for _, child in children(node):
        _cut_dead_ends(child)


def frozen(plain: Mapping[Any, Any]) -> DictConfig:
    """Plain dicts and lists as a read-only config."""
    config = OmegaConf.create(dict(plain))
    OmegaConf.set_struct(config, True)
    OmegaConf.set_readonly(config, True)
    return config


def as_dict(cfg: DictConfig) -> dict[str, Any]:
    """A resolved config as plain dicts and lists."""
    plain = OmegaConf.to_container(cfg)
    assert isinstance(plain, dict)
    return {str(key): value for key, value in plain.items()}


def rebase_dict(recorded: Mapping[str, Any], before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, Any]:
    """Return `recorded` with what changed from `before` to `after`; all three are plain dicts.

    This is how a resumed run keeps the config that it was started with, also when defaults have changed since, and
    still takes the new overrides: `before` is composed now from the old overrides, `after` from old and new ones.
    """
    kept = {key: value for key, value in recorded.items() if key in after or key not in before}
    changed = {
        key: _rebase(recorded[key], before[key], value) if key in recorded and key in before else value
        for key, value in after.items()
    }
    return kept | changed


def _rebase(recorded: object, before: object, after: object) -> object:
    if before == after:
        return recorded
    if isinstance(recorded, dict) and isinstance(before, dict) and isinstance(after, dict):
        return rebase_dict(recorded, before, after)
    return after
