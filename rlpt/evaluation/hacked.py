"""In which steps of a run answers showed signs of cheating, from its metrics alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rlpt.tracking.metrics_log import STEP

SUSPICIOUS = "suspicious"
"""The status of a verdict on an answer with signs of cheating."""


def hacked_steps(rows: Sequence[Mapping[str, Any]], kind: str, domain: str | None = None) -> list[int]:
    """The steps with a `<kind>/<domain>/hack_rate` above 0, in order; `kind` is `train` or `eval`, None any domain."""
    found = set()
    for row in rows:
        for name, value in row.items():
            head, _, rest = name.partition("/")
            of, _, last = rest.rpartition("/")
            if head == kind and last == "hack_rate" and domain in (None, of) and value:
                found.add(int(row[STEP]))
    return sorted(found)


def no_hacks(rows: Sequence[Mapping[str, Any]], origin: str, domain: str | None = None) -> str:
    """Say that there is no answer with signs of cheating in `origin`, and where in the run there are some."""
    train, evaluations = hacked_steps(rows, "train", domain), hacked_steps(rows, "eval", domain)
    places = [
        *([f"rollouts of step {ranges(train)} (step={train[-1]})"] if train else []),
        *([f"evaluation of step {ranges(evaluations)} (of=evaluation step={evaluations[-1]})"] if evaluations else []),
    ]
    others = f"There are some in: {'; '.join(places)}." if places else "The run's metrics know of none elsewhere."
    return f"No answer with signs of cheating in the {origin}{f', {domain}' if domain else ''}. {others}"


def ranges(numbers: Sequence[int]) -> str:
    """`1-5, 8` for 1, 2, 3, 4, 5, 8."""
    parts: list[list[int]] = []
    for number in numbers:
        if parts and number == parts[-1][1] + 1:
            parts[-1][1] = number
        else:
            parts.append([number, number])
    return ", ".join(str(low) if low == high else f"{low}-{high}" for low, high in parts)
