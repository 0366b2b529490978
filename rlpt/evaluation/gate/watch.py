"""The evaluations of one run, each beside its reference, under one bound on false alarms."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from rlpt.evaluation.gate.looks import look_level
from rlpt.evaluation.gate.pairs import rewards_by_domain
from rlpt.evaluation.gate.verdict import DomainVerdict, GateRules, judge
from rlpt.evaluation.sample import Sample
from rlpt.evaluation.statistics import summarise

START, BEST = "start", "best"
LEAST = 1e-9
"""Level of evaluations beyond those that were planned: as good as none."""


@dataclass(frozen=True, slots=True)
class Measured:
    """An evaluation: what it is called and its samples."""

    name: str
    samples: Sequence[Sample]


@dataclass(frozen=True, slots=True)
class Look:
    """One evaluation beside `reference`. `level` is its part of the rules' alpha."""

    reference: str
    level: float
    verdicts: Sequence[DomainVerdict]

    @property
    def regressed(self) -> list[DomainVerdict]:
        """The domains that are worse than before."""
        return [verdict for verdict in self.verdicts if verdict.outcome == "regressed"]

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        domains = {verdict.domain: asdict(verdict) for verdict in self.verdicts}
        return {"reference": self.reference, "level": self.level, "domains": domains}


class Watch:
    """Compares each evaluation of a run with the first one, with the best so far, or with a named one.

    The same evaluations in the same order give the same looks, so that a resumed run only needs to show them again.
    """

    def __init__(self, rules: GateRules, interim: int, reference: Measured | str = START) -> None:
        """`interim`: evaluations planned between the first and the last. `reference`: `start`, `best`, or one."""
        self._rules = rules
        self._interim = interim
        self._best = reference == BEST
        self._reference = None if isinstance(reference, str) else reference
        self._spent = 0.0
        self._candidates = 1

    def look(self, step: int, samples: Sequence[Sample], final: bool) -> Look | None:
        """Judge the evaluation after `step` steps; None where there is nothing to compare it with.

        `final` says that no other evaluation follows.
        """
        own = Measured(f"step {step}", samples)
        if self._reference is None:
            self._reference = own
            return None
        found = self._judge(self._reference, samples, final)
        if found.regressed:
            self._spent = 0.0  # this run has raised its alarm; what follows is a run of its own
        if self._best:
            self._candidates += 1
            if _mean_of_domains(samples) > _mean_of_domains(self._reference.samples):
                self._reference = own
        return found

    def _judge(self, reference: Measured, samples: Sequence[Sample], final: bool) -> Look:
        level = look_level(self._rules.alpha, self._spent, self._interim, final)
        self._spent += level
        self._interim = max(0, self._interim - 1)
        before, after = rewards_by_domain(reference.samples), rewards_by_domain(samples)
        candidates = self._candidates if self._best else 1
        return Look(reference.name, level, judge(before, after, self._rules, max(level, LEAST), candidates))


def _mean_of_domains(samples: Sequence[Sample]) -> float:
    rewards = [summary.reward or 0.0 for summary in summarise(samples)]
    return sum(rewards) / max(len(rewards), 1)
