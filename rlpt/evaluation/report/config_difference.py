"""What differs between the resolved configs of several runs, by dotted key."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final


class _Absent:
    """A key that a config does not have; it differs from every value, null too."""

    def __repr__(self) -> str:
        return "absent"


ABSENT: Final = _Absent()


@dataclass(frozen=True, slots=True)
class Difference:
    """One dotted key with its value in each config; `overridden` says in which it was set on the command line."""

    key: str
    values: tuple[Any, ...]
    overridden: tuple[bool, ...]


def differences(configs: Sequence[Mapping[str, Any]], overrides: Sequence[Sequence[str]]) -> list[Difference]:
    """The keys whose values are not the same in all configs, in their order.

    A node that only some configs have is one difference, not one for each of its keys. An override of a node or of a
    group, such as `algorithm=rloo`, is one of all keys below it.
    """
    set_keys = [[overridden_key(text) for text in texts] for texts in overrides]
    return [
        Difference(key, values, tuple(any(_covers(one, key) for one in keys) for keys in set_keys))
        for key, values in _differing(tuple(configs), "")
    ]


def overridden_key(text: str) -> str:
    """The dotted key that an override sets: `algorithm.loss` for `algorithm/loss=gspo`, also with a sign before it.

    `verifier@domain.code.verifier=exact` sets `domain.code.verifier`.
    """
    key = text.partition("=")[0].strip().lstrip("+~")
    group, at, package = key.partition("@")
    return package if at else group.replace("/", ".")


def _differing(values: tuple[Any, ...], key: str) -> list[tuple[str, tuple[Any, ...]]]:
    if not all(isinstance(value, Mapping) for value in values):
        return [] if _all_equal(values) else [(key, values)]
    names = dict.fromkeys(name for value in values for name in value)
    return [
        found
        for name in names
        for found in _differing(tuple(value.get(name, ABSENT) for value in values), f"{key}.{name}" if key else name)
    ]


def _all_equal(values: Sequence[Any]) -> bool:
    # 1 and True are equal to Python, and not to a config.
    return all(_shape(value) == _shape(values[0]) for value in values[1:])


def _shape(value: object) -> object:
    if isinstance(value, Mapping):
        return {name: _shape(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [_shape(inner) for inner in value]
    return (isinstance(value, bool), value)


def _covers(override: str, key: str) -> bool:
    return key == override or key.startswith(f"{override}.") or override.startswith(f"{key}.")
