"""The evaluations of one run, each beside its reference, under one bound on false alarms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from rlpt.evaluation.gate.looks import look_level
from rlpt.evaluation.gate.pairs import Rewards, mean_reward, rewards_by_domain
from rlpt.evaluation.gate.verdict import DomainVerdict, GateRules, judge
from rlpt.evaluation.sample import Sample

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
        self._best = reference == BEST
        self._reference = None if isinstance(reference, str) else _Reference.of(reference.name, reference.samples)
        # With a reference from elsewhere the first evaluation is compared too.
        self._interim = interim + (self._reference is not None)
        self._spent = 0.0
        self._candidates = 1

    def look(self, step: int, samples: Sequence[Sample], final: bool, level: float | None = None) -> Look | None:
        """Judge the evaluation after `step` steps; None where there is nothing to compare it with.

        `final` says that no other evaluation follows. Where one does, because the run was prolonged, the whole of the
        false alarms is there anew. `level`: what this look had when it was first taken; a plan may have changed since.
        """
        own = _Reference.of(f"step {step}", samples)
        if self._reference is None:
            self._reference = own
            return None
        found = self._judge(self._reference, own, final, level)
        if found.regressed or final:
            self._spent = 0.0  # this run has raised its alarm; what follows is a run of its own
        if self._best:
            self._candidates += 1
            if own.mean > self._reference.mean:
                self._reference = own
        return found

    def _judge(self, reference: _Reference, candidate: _Reference, final: bool, recorded: float | None) -> Look:
        own = look_level(self._rules.alpha, self._spent, self._interim, final)
        level = own if recorded is None else recorded
        self._spent += level
        self._interim = max(0, self._interim - 1)
        candidates = self._candidates if self._best else 1
        verdicts = judge(reference.rewards, candidate.rewards, self._rules, max(level, LEAST), candidates)
        return Look(reference.name, level, verdicts)


@dataclass(frozen=True, slots=True)
class _Reference:
    """What a later evaluation may be compared with."""

    name: str
    rewards: Mapping[str, Rewards]

    @classmethod
    def of(cls, name: str, samples: Sequence[Sample]) -> _Reference:
        return cls(name, rewards_by_domain(samples))

    @property
    def mean(self) -> float:
        """Over the domains, of their mean rewards."""
        return sum(mean_reward(own) or 0.0 for own in self.rewards.values()) / max(len(self.rewards), 1)
