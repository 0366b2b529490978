"""Whose updates worked against a domain in a window, from the interference that the run recorded. Pure."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from rlpt.evaluation.trace.shifts import Row, mean, parts
from rlpt.evaluation.trace.suspects import clear, suspects, weighted
from rlpt.evaluation.trace.windows import Event, Window


@dataclass(frozen=True, slots=True)
class Accused:
    """A domain beside the one that is traced: the cosine of their policy gradients, with its standard error.

    `share_before` and `share` are of the tasks, before and in the window; `signal` is of the signal in the window.
    `pull` is cosine x signal: what its part of the updates did to the other. `clear` says that chance alone would
    hardly make the cosine so low.
    """

    domain: str
    cosine: float
    error: float
    share_before: float | None
    share: float | None
    signal: float
    pull: float
    clear: bool


def accuse(events: Sequence[Event], rows: Sequence[Row], window: Window) -> list[Accused]:
    """The other domains, those that pulled most against the window's domain first.

    Cosines are means over the window's records, that of its beginning included. Their probes overlap, so that the error
    is that of a single record.
    """
    records = [event for event in events if event["event"] == "interference"]
    inside = [event for event in records if window.good <= event["step"] <= window.bad]
    name = window.domain
    others = dict.fromkeys(other for event in inside for other in event["cosines"].get(name, {}))
    cosines = {other: fmean(_entries(inside, "cosines", name, other)) for other in others}
    errors = {other: _root_mean_square(_entries(inside, "errors", name, other)) for other in others}
    before, within = parts(rows, window.good, window.bad)
    signals = {other: _signal(within, other) for other in others}
    pulls = weighted({name: cosines}, signals)[name]
    certain = clear({name: cosines}, {name: errors})[name]
    found = [
        Accused(
            other,
            cosines[other],
            errors[other],
            mean(before, f"train/{other}/task_share"),
            mean(within, f"train/{other}/task_share"),
            signals[other],
            pulls[other],
            certain[other] < 0.0,
        )
        for other in others
    ]
    order = suspects({name: pulls}, [name])
    return sorted(found, key=lambda one: (order.index(one.domain) if one.domain in order else len(order), one.pull))


def mean_matrix(events: Sequence[Event], key: str) -> dict[str, dict[str, float]]:
    """`cosines` or `errors` of each two domains, on average over all records of the run."""
    records = [event for event in events if event["event"] == "interference"]
    pairs = dict.fromkeys((one, other) for event in records for one, row in event[key].items() for other in row)
    found: dict[str, dict[str, float]] = {}
    for one, other in pairs:
        found.setdefault(one, {})[other] = fmean(_entries(records, key, one, other))
    return found


def _entries(records: Sequence[Event], key: str, name: str, other: str) -> list[float]:
    rows: list[Mapping[str, float]] = [event[key].get(name, {}) for event in records]
    return [row[other] for row in rows if other in row]


def _root_mean_square(values: Sequence[float]) -> float:
    return math.sqrt(fmean(value * value for value in values))


def _signal(rows: Sequence[Row], domain: str) -> float:
    """1 where the run did not record it: then cosines alone decide."""
    found = mean(rows, f"train/{domain}/signal_share")
    return 1.0 if found is None else found
