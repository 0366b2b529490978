"""Sentences about keys of a composed config: which key was meant, what a key takes."""

from __future__ import annotations

import types
import typing
from collections.abc import Iterator, Sequence
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import get_args, get_origin, get_type_hints

from omegaconf import DictConfig, ListConfig, OmegaConf

from rlpt.config.nearest import nearest, one_of

WORDS: dict[object, str] = {int: "a whole number", float: "a number", bool: "true or false", str: "text"}


def children(node: DictConfig) -> Iterator[tuple[str, DictConfig]]:
    """Nodes of keys below `node`, without following interpolations."""
    for key in node:
        if not OmegaConf.is_interpolation(node, str(key)) and not OmegaConf.is_missing(node, key):
            child = node[key]
            if isinstance(child, DictConfig):
                yield str(key), child


def paths(node: DictConfig, prefix: str = "") -> Iterator[str]:
    """Every dotted key of `node`, `hydra` left out, outer keys before inner ones."""
    here = [str(key) for key in node if prefix or key != "hydra"]
    yield from (prefix + key for key in here)
    for key, child in children(node):
        if key in here:
            yield from paths(child, f"{prefix}{key}.")


def no_such_key(cfg: DictConfig, key: str, groups: Sequence[str] = ()) -> str:
    """Say that `key` does not exist in `cfg`, and name the nearest that does.

    Nearest is a sibling with a similar name, else a similar name anywhere.
    """
    parent, node, word = _deepest(cfg, key)
    siblings = [str(name) for name in node if parent or name != "hydra"]
    if not parent:
        siblings += [group for group in groups if group not in [*siblings, "hydra"] and "/" not in group]
    rest = key[len(parent) + len(word) :] if parent else key[len(word) :]
    if near := nearest(word, siblings):
        return f"There is no key '{key}'; did you mean '{parent}{near[0]}{rest}'?"
    # Elsewhere: written backwards, so that of two paths with the same last part the outer one wins.
    everywhere = {path.rpartition(".")[2]: path for path in reversed(list(paths(cfg)))}
    last = key.rpartition(".")[2]
    longer = [name for name in everywhere if len(last) > 3 and name.startswith(last)]
    if near := nearest(last, everywhere, cutoff=0.75) or longer:
        return f"There is no key '{key}'; did you mean '{everywhere[near[0]]}'?"
    place = f"'{parent.rstrip('.')}'" if parent else "the config"
    return f"There is no key '{key}'; {place} has {one_of(siblings, 24)}."


def in_sentence(start: str, sentence: str) -> str:
    """`start: sentence`, as one sentence."""
    return f"{start}: {sentence[0].lower()}{sentence[1:]}"


def wrong_value(cfg: DictConfig, key: str, value: object, given: str | None = None) -> str | None:
    """Say what `key` takes instead of `value`, or return None where its type is not known.

    `given` is how the user wrote it, such as `algorithm.group_size=eight`.
    """
    hint = type_of(cfg, key)
    if hint is None:
        return None
    start = f"{given or f'{key}={value}'}: this key takes {describe(hint)}"
    inner, _ = without_none(hint)
    if isinstance(inner, type) and issubclass(inner, Enum):
        near = nearest(str(value), [member.name for member in inner])
        return f"{start}; did you mean {key}={near[0]}?" if near else f"{start}."
    current = OmegaConf.select(cfg, key, default=None)
    if current is None or isinstance(current, DictConfig):
        return f"{start}."
    return f"{start}, such as {key}={_as_written(current)}."


def _as_written(value: object) -> str:
    """A value as a user would write it: lists without spaces or quotes, choices by name."""
    if isinstance(value, Enum):
        return value.name
    if isinstance(value, ListConfig):
        return f"[{','.join(_as_written(item) for item in value)}]"
    return str(value)


def type_of(cfg: DictConfig, key: str) -> object:
    """The annotation of `key` in its node's schema, or None where the node has no schema."""
    parent, _, last = key.rpartition(".")
    node = OmegaConf.select(cfg, parent) if parent else cfg
    schema = OmegaConf.get_type(node) if isinstance(node, DictConfig) else None
    if schema is None or not is_dataclass(schema) or last not in {field.name for field in fields(schema)}:
        return None
    hint: object = get_type_hints(schema)[last]
    return hint


def describe(hint: object) -> str:
    """An annotation in words: `int | None` is `a whole number or null`."""
    inner, optional = without_none(hint)
    if isinstance(inner, type) and issubclass(inner, Enum):
        words = one_of([member.name for member in inner])
    elif get_origin(inner) is list:
        words = f"a list, each item {describe(get_args(inner)[0])}"
    else:
        words = WORDS.get(inner, "keys of its own, not one value")
    return f"{words} or null" if optional else words


def without_none(hint: object) -> tuple[object, bool]:
    if get_origin(hint) in (typing.Union, types.UnionType):
        inner = [part for part in get_args(hint) if part is not type(None)]
        return inner[0], len(inner) < len(get_args(hint))
    return hint, False


def _deepest(cfg: DictConfig, key: str) -> tuple[str, DictConfig, str]:
    """The node where `key` leaves the config: its path with a dot at the end, itself, and the unknown part."""
    node, parent = cfg, ""
    for part in key.split("."):
        child = dict(children(node)).get(part)
        if child is None:
            return parent, node, part
        node, parent = child, f"{parent}{part}."
    return parent, node, ""
