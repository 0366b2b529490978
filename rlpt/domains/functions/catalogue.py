"""The grammar's functions without duplicates, and hidden calls that no other of them passes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from rlpt.domains.functions.families import all_functions
from rlpt.domains.functions.function import Args, Function, meaning, outcomes, same
from rlpt.domains.functions.inputs import HIDDEN, MEANING, Signature, hidden_inputs

Call = tuple[Args, Any]


@dataclass(frozen=True, slots=True)
class Entry:
    """A function, ready to be called, with the key of its meaning and its results on the general hidden inputs."""

    function: Function
    run: Callable[..., Any]
    key: str
    general: tuple[str | None, ...]


@cache
def catalogue() -> tuple[Entry, ...]:
    """Every meaning once: of functions that do the same, the first in the grammar."""
    found: dict[str, Entry] = {}
    for function in all_functions():
        entry = _entry(function)
        found.setdefault(entry.key, entry)
    return tuple(found.values())


@cache
def meaning_of(function: Function) -> str:
    """Return the key of a function's meaning, as in the catalogue."""
    return _entry(function).key


@cache
def hidden_calls(entry: Entry) -> Sequence[Call]:
    """Return arguments and results that tell `entry` from every other function of the catalogue.

    No other function with the same parameters gives all these results, and neither does one that always gives the
    same result or gives back one of its arguments.
    """
    calls = list(outcomes(entry.run, hidden_inputs(entry.function)))
    rivals = [rival for rival in _rivals(entry, calls) if _passes(rival, calls)]
    reserve = list(outcomes(entry.run, MEANING[entry.function.signature]))
    while rivals:
        call = next(call for call in reserve if not _passes(rivals[0], [call]))
        calls.append(call)
        rivals = [rival for rival in rivals if _passes(rival, [call])]
    return calls


def _entry(function: Function) -> Entry:
    run = function.compiled()
    results = {repr(args): repr(result) for args, result in outcomes(run, HIDDEN[function.signature])}
    general = tuple(results.get(repr(args)) for args in HIDDEN[function.signature])
    return Entry(function, run, meaning(function.signature, run, MEANING[function.signature]), general)


@cache
def _by_signature() -> Mapping[Signature, Sequence[Entry]]:
    groups: dict[Signature, list[Entry]] = defaultdict(list)
    for entry in catalogue():
        groups[entry.function.signature].append(entry)
    return groups


def _rivals(entry: Entry, calls: Sequence[Call]) -> Iterator[Callable[..., Any]]:
    yield lambda *args: calls[0][1]
    for position in range(len(entry.function.parameters)):
        yield lambda *args, position=position: args[position]
    for other in _by_signature()[entry.function.signature]:
        # Most others differ on the general inputs already, which is quick to see.
        alike = all(mine in (None, its) for mine, its in zip(entry.general, other.general, strict=True))
        if alike and other.key != entry.key:
            yield other.run


def _passes(function: Callable[..., Any], calls: Sequence[Call]) -> bool:
    return all(any(same(result, wanted) for _, result in outcomes(function, [args])) for args, wanted in calls)
