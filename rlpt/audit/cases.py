"""Reads labelled cases: JSON lines that each hold a completion, what it is judged by, and whether it is right."""

from __future__ import annotations

import codecs
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from rlpt.errors import UserError
from rlpt.records import Task

MOST_NESTED = 100
"""Objects and lists in each other. Beyond that a reference could not be handed to the pool on every Python."""

_SHOWN = 80


@dataclass(frozen=True, slots=True)
class Case:
    """One labelled completion. `line` is its place in its file, from 1; `correct` says whether the answer is right."""

    id: str | int
    line: int
    reference: Mapping[str, Any]
    completion: str
    correct: bool

    def item(self, domain: str) -> tuple[Task, str]:
        """The case as the pool takes it. Its task has no messages, since a case has none."""
        return Task(domain, str(self.id), [], self.reference), self.completion


def read_cases(file: Path) -> list[Case]:
    """Return the cases of a file, in order; empty lines are skipped and keys that are not known ignored.

    A line is `{"id": text or whole number, "completion": text, "correct": bool, "reference": object}`; `"gold": x` may
    stand in the place of `"reference": {"answer": x}`. A null is the same as a key that is not there.

    Raises:
        UserError: for the first line that is none, or shares its id with another; for a file without any, or one that
            cannot be read.
    """
    try:
        content = file.read_bytes().removeprefix(codecs.BOM_UTF8)
    except OSError as error:
        raise UserError(f"{file} cannot be read ({error.strerror}); name a file of labelled cases.") from error
    lines = enumerate(content.split(b"\n"), 1)
    cases = [_case(f"{file}, line {number}", number, line) for number, line in lines if line.strip()]
    if not cases:
        raise UserError(f'{file} holds no case; write a line {{"id", "completion", "gold", "correct"}} for each.')
    _refuse_twins(file, cases)
    return cases


def _case(place: str, number: int, line: bytes) -> Case:
    row = _object(place, line)
    identity, completion, correct = row.get("id"), row.get("completion"), row.get("correct")
    if isinstance(identity, bool) or not isinstance(identity, str | int) or identity == "":
        _refuse(place, "id", "a text or a whole number", identity)
    if not isinstance(completion, str):
        _refuse(place, "completion", "a text", completion)
    if not isinstance(correct, bool):
        _refuse(place, "correct", "true or false", correct)
    return Case(identity, number, _reference(place, row), completion, correct)


def _reference(place: str, row: Mapping[str, Any]) -> Mapping[str, Any]:
    given = [key for key in ("reference", "gold") if row.get(key) is not None]
    if len(given) != 1:
        raise UserError(f"{place}: a case needs either 'reference' or 'gold'; it has {'both' if given else 'neither'}.")
    if given == ["gold"]:
        return {"answer": row["gold"]}
    reference = row["reference"]
    if not isinstance(reference, dict):
        _refuse(place, "reference", "an object", reference)
    return reference


def _object(place: str, line: bytes) -> dict[str, Any]:
    try:
        row = json.loads(line.decode("utf-8"), object_pairs_hook=_without_twins, parse_constant=_no_constant)
    except UnicodeDecodeError as error:
        raise UserError(f"{place} is not UTF-8 text; save the file as UTF-8.") from error
    except json.JSONDecodeError as error:
        raise UserError(f"{place} is not JSON: {error.msg} at column {error.colno}.") from error
    except ValueError as error:  # a twin, a constant, or a number of more digits than Python reads
        raise UserError(f"{place} is not JSON: {str(error).partition(';')[0]}.") from error
    except RecursionError as error:
        raise UserError(f"{place}: it is nested too deeply; {MOST_NESTED} objects and lists are the most.") from error
    if not isinstance(row, dict):
        raise UserError(f'{place} is no object; write {{"id", "completion", "gold", "correct"}}.')
    if _nested_deeper_than(row, MOST_NESTED):
        raise UserError(f"{place}: it is nested too deeply; {MOST_NESTED} objects and lists are the most.")
    return row


def _without_twins(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    """An object whose keys stand in it once: of two labels nobody could say which is meant."""
    row = dict(pairs)
    if len(row) < len(pairs):
        keys = [key for key, _ in pairs]
        raise ValueError(f"the key {_short(next(key for key in keys if keys.count(key) > 1))} stands in it twice")
    return row


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number of JSON")


def _nested_deeper_than(value: object, most: int) -> bool:
    level = [value]
    for _ in range(most):
        level = [inner for outer in level for inner in _inner(outer)]
        if not level:
            return False
    return True


def _inner(value: object) -> Sequence[object]:
    return list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else ()


def _refuse_twins(file: Path, cases: Sequence[Case]) -> None:
    first: dict[str, Case] = {}
    for case in cases:
        # As texts: 1 and "1" could not be told apart in the report.
        if (other := first.setdefault(str(case.id), case)) is not case:
            raise UserError(
                f"{file}, line {case.line}: the id {_short(case.id)} stands in line {other.line} already; "
                "every case needs its own."
            )


def _refuse(place: str, key: str, wanted: str, value: object) -> NoReturn:
    if value is None:
        raise UserError(f"{place}: '{key}' is missing; it must be {wanted}.")
    raise UserError(f"{place}: '{key}' must be {wanted}; it is {_short(value)}.")


def _short(value: object) -> str:
    """A value from the file as JSON: in ASCII, so that it cannot control a terminal."""
    text = json.dumps(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."
