"""What goes on and goes wrong out of sight of the metrics, counted where it happens."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Protocol, runtime_checkable


@runtime_checkable
class Counting(Protocol):
    """An engine, pool, sandbox, or what stands on one."""

    def counters(self) -> Mapping[str, float]:
        """What has happened so far, by the name of its metric; all only grow."""
        ...


def counted(things: Iterable[object]) -> dict[str, float]:
    """What those of the things that count have counted, added up by name."""
    totals: dict[str, float] = {}
    for thing in things:
        if isinstance(thing, Counting):
            add(totals, thing.counters())
    return totals


def add(totals: dict[str, float], more: Mapping[str, float], factor: float = 1.0) -> None:
    """Add `factor` times what was counted to the totals."""
    for name, value in more.items():
        totals[name] = totals.get(name, 0.0) + factor * value
