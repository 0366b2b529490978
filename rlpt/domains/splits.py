"""Disjoint, stable splits: a hash of what a task means decides where the task belongs.

Two tasks with the same meaning have the same key and so lie in the same split, however they are worded. Adding tasks,
or asking for more of them, moves none to another split.
"""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import TypeVar

from rlpt.errors import UserError
from rlpt.records import Split, Task

T = TypeVar("T")

ORDER: Sequence[Split] = ("validation", "test", "train")


@dataclass(frozen=True, slots=True)
class Shares:
    """Shares of the keys that go to validation and test; training has the rest."""

    validation: float
    test: float

    def split_of(self, key: str, seed: int) -> Split:
        """Return the split that `key` belongs to under `seed`."""
        position = unit_interval(f"split:{seed}:{key}")
        if position < self.validation:
            return "validation"
        return "test" if position < self.validation + self.test else "train"


def unit_interval(text: str) -> float:
    """Map `text` to [0, 1): uniform over texts, the same in every process."""
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:6], "big") / 2.0**48


def choose(text: str, options: Sequence[T]) -> T:
    """Pick one of `options` by the hash of `text`."""
    return options[int(unit_interval(text) * len(options))]


def interleave(items: Iterable[T], group: Callable[[T], str], name: Callable[[T], str], seed: int) -> list[T]:
    """Put `items` in an order that depends on `seed` and on their unique names only.

    Every group gives one item before any gives a second, so that the first n items show as many groups as they can.
    """
    groups: dict[str, list[tuple[float, str, T]]] = defaultdict(list)
    for item in items:
        groups[group(item)].append((unit_interval(f"order:{seed}:{name(item)}"), name(item), item))
    placed: list[tuple[int, float, str, T]] = []
    for members in groups.values():
        members.sort(key=lambda member: member[:2])
        placed.extend((rank, *member) for rank, member in enumerate(members))
    return [item for _, _, _, item in sorted(placed, key=lambda place: place[:3])]


def take(tasks: Sequence[T], split: Split, count: int, domain: str, fix: str) -> list[T]:
    """Return the first `count` tasks of a split.

    Training takes what there is where `count` is more; validation and test, whose size decides how sure a
    result is, do not.

    Raises:
        UserError: where there are no tasks, or too few for validation or test. `fix` says how to get more.
    """
    if count < 1:
        raise UserError(f"domain.{domain}.{split}_tasks={count} is too small; set it to 1 or more.")
    if not tasks or (split != "train" and count > len(tasks)):
        raise UserError(
            f"domain.{domain}.{split}_tasks={count} is more than the {len(tasks)} different tasks there are; "
            f"lower it, or {fix}."
        )
    return list(tasks[:count])


def fingerprint(tasks: Iterable[Task]) -> str:
    """Return the SHA-256 of the tasks, in order, as canonical JSON: 64 hex digits.

    Two runs with the same fingerprint were measured on the same tasks. It depends neither on the process nor on the
    machine; sets count as sorted lists.
    """
    digest = hashlib.sha256()
    for task in tasks:
        # ASCII, because texts may hold lone surrogates, which UTF-8 does not encode.
        text = json.dumps(asdict(task), default=sorted, sort_keys=True, ensure_ascii=True, separators=(",", ":"))
        digest.update(text.encode() + b"\n")
    return digest.hexdigest()
