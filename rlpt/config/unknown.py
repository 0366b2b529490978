"""A key that the composed config does not have: one of another option of its group, or a mistyped one."""

from __future__ import annotations

from omegaconf import DictConfig

from rlpt.config.composer import Composer
from rlpt.config.keys import no_such_key
from rlpt.config.selections import SEVERAL


def unknown_key(composer: Composer, cfg: DictConfig, key: str, setting: str | None = None) -> str:
    """Say which options `key` belongs to, where its group has some; else name the nearest key that `cfg` has.

    `setting` is the option whose own file sets the key, such as `algorithm=mine`: it belongs to others or to none.
    """
    group, _, inner = key.partition(".")
    if inner and group not in SEVERAL:
        owners = [
            f"{group}={option}"
            for option in composer.groups.get(group, ())
            if _has(composer, group, option, inner) and f"{group}={option}" != setting
        ]
        if owners:
            *others, last = owners
            listed = f"{', '.join(others)} and {last}" if others else last
            return f"There is no key '{key}' here; it belongs to {listed}."
    return no_such_key(cfg, key, list(composer.groups))


def _has(composer: Composer, group: str, option: str, key: str) -> bool:
    node: object = composer.file(group, option)
    for part in key.split("."):
        if not isinstance(node, DictConfig) or part not in node:
            return False
        node = node._get_node(part)
    return True
