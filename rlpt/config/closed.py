"""Unknown keys in nodes that have a schema, also those that `++key=value` forced in past Hydra's own check."""

from __future__ import annotations

from collections.abc import Iterator, Set
from dataclasses import fields, is_dataclass

from omegaconf import DictConfig, OmegaConf

from rlpt.config.keys import children


def unknown_keys(cfg: DictConfig, own_nodes: Set[str] = frozenset()) -> Iterator[str]:
    """Yield the dotted keys that no schema knows.

    Args:
        cfg: a composed config whose nodes still carry their schemas.
        own_nodes: root nodes that files brought along, such as a user's own group.
    """
    known = _names(cfg) | own_nodes | {"hydra"}
    yield from (str(key) for key in cfg if str(key) not in known)
    for key, child in children(cfg):
        if key != "hydra":
            yield from _unknown_below(child, f"{key}.")


def _unknown_below(node: DictConfig, prefix: str) -> Iterator[str]:
    known = _names(node)
    if known:
        yield from (f"{prefix}{key!s}" for key in node if str(key) not in known)
    for key, child in children(node):
        if not known or key in known:
            yield from _unknown_below(child, f"{prefix}{key}.")


def _names(node: DictConfig) -> set[str]:
    schema = OmegaConf.get_type(node)
    return {field.name for field in fields(schema)} if schema is not None and is_dataclass(schema) else set()
