"""Every metric of a run: its name, what it means, its unit and its healthy range. docs/metrics.md is made from it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

Summary = Literal["min", "max", "last"]

_HOLES = re.compile("DOMAIN|PART|K")


@dataclass(frozen=True, slots=True)
class Metric:
    """One metric, or one of each domain.

    In `name`, `DOMAIN` stands for a domain, `PART` for a part of a verifier's verdicts and `K` for a whole number.
    `when`: what a run or step has it only with; "" where every finished training run has it. `summary`: what W&B's
    table of runs shows of it; the last value where nothing is said.
    """

    name: str
    meaning: str
    unit: str = ""
    healthy: str = ""
    when: str = ""
    summary: Sequence[Summary] = ()

    def names(self, domains: Iterable[str]) -> list[str]:
        """The metric's names in a run with `domains`, once for each where it is of one domain."""
        return [self.name.replace("DOMAIN", domain) for domain in domains] if "DOMAIN" in self.name else [self.name]

    def matches(self, name: str, domains: Iterable[str], parts: Iterable[str] = ()) -> bool:
        """Whether `name` is this metric in a run with these domains and parts of verdicts."""
        holes = {"DOMAIN": _one_of(domains), "PART": _one_of(parts), "K": "[0-9]+"}
        pieces = re.split(f"({_HOLES.pattern})", self.name)
        return re.fullmatch("".join(holes.get(piece, re.escape(piece)) for piece in pieces), name) is not None


def find_metric(
    metrics: Iterable[Metric], name: str, domains: Sequence[str], parts: Sequence[str] = ()
) -> Metric | None:
    """The first of the metrics that `name` is; None where it is none of them."""
    return next((metric for metric in metrics if metric.matches(name, domains, parts)), None)


def _one_of(words: Iterable[str]) -> str:
    """A pattern for any of the words; without words, one that nothing matches."""
    return f"(?:{'|'.join(map(re.escape, words)) or '(?!)'})"
