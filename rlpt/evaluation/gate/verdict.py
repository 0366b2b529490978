"""The verdict on each domain of a candidate beside a reference."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from rlpt.errors import UserError
from rlpt.evaluation.gate.holm import holm
from rlpt.evaluation.gate.pairs import Pairs, Rewards, pair_tasks
from rlpt.evaluation.gate.power import tasks_needed
from rlpt.evaluation.gate.signs import least_p, p_values
from rlpt.evaluation.intervals import paired_interval

Outcome = Literal["regressed", "improved", "unchanged", "not enough data", "no data"]


@dataclass(frozen=True, slots=True)
class GateRules:
    """What counts as a regression.

    `alpha`: the share of runs without change that may raise an alarm. `tolerance`: a loss of mean reward up to which
    nothing is called a regression; `tolerances` by domain win over it. `loss`: the loss that should be found with
    probability `power`; with fewer tasks than that takes, finding nothing is "not enough data". `confidence`: of the
    intervals, which are for a reader and decide nothing.
    """

    alpha: float = 0.05
    tolerance: float = 0.0
    tolerances: Mapping[str, float] = field(default_factory=dict)
    loss: float = 0.10
    power: float = 0.9
    confidence: float = 0.95

    def __post_init__(self) -> None:
        for name, share in (("alpha", self.alpha), ("power", self.power), ("confidence", self.confidence)):
            if not 0 < share < 1:
                raise UserError(f"The gate's {name} is {share:g}; set it between 0 and 1.")
        for name, tolerance in {"": self.tolerance, **self.tolerances}.items():
            if not 0 <= tolerance < self.loss:
                raise UserError(
                    f"The gate's tolerance{name and f' for {name}'} is {tolerance:g}; set it to 0 or more and below "
                    f"the loss that it should find ({self.loss:g})."
                )

    def tolerance_of(self, domain: str) -> float:
        """The tolerated loss in `domain`."""
        return self.tolerances.get(domain, self.tolerance)


def rules_of(options: Mapping[str, Any]) -> GateRules:
    """The rules that the config group `evaluation` sets. What an older config lacks has its default.

    Raises UserError for values without meaning.
    """
    keys = {"false_alarms": "alpha", "detects": "loss"}
    keys |= {name: name for name in ("tolerance", "tolerances", "power", "confidence")}
    return GateRules(**{name: options[key] for key, name in keys.items() if key in options})


@dataclass(frozen=True, slots=True)
class DomainVerdict:
    """One domain of a candidate (`after`) beside a reference (`before`).

    Means are over the `n` tasks that both scored; `left_out` other tasks were scored by one at most. `low` and `high`
    bound `delta` with probability `confidence`, for this domain alone; None where `n` is 0. `p_worse` (by more than
    `tolerance`) and `p_better` are one-sided and for this domain alone; `adjusted_worse` and `adjusted_better` count
    all domains, all evaluations of the run and the choice of the reference, and are read against the rules' alpha.
    `needed` tasks would find the rules' loss with their power.
    """

    domain: str
    outcome: Outcome
    n: int
    needed: int
    left_out: int
    before: float | None
    after: float | None
    delta: float | None
    low: float | None
    high: float | None
    confidence: float
    tolerance: float
    p_worse: float
    p_better: float
    adjusted_worse: float
    adjusted_better: float


def judge(
    before: Mapping[str, Rewards],
    after: Mapping[str, Rewards],
    rules: GateRules,
    level: float | None = None,
    selected_from: int = 1,
) -> list[DomainVerdict]:
    """The verdict on each domain, in the order of `before`, then those that only `after` has ("no data").

    `level` is this evaluation's part of the rules' alpha (`look_level`); by default all of it. `selected_from` is the
    number of evaluations that the reference was chosen from because it looked good. The best of ten was also the
    luckiest, and an unchanged policy falls short of it; p values are multiplied by that number, which bounds the error
    whatever the choice was based on: an alarm then needs a pair that alone would be significant at level/selected_from.

    Holm's correction runs over the domains that could be significant at all, given how many tasks differ, which says
    nothing about the direction (Tarone, "A modified Bonferroni method for discrete data", Biometrics 46, 1990): a
    domain where everything stays solved takes no power from the others.
    """
    level = rules.alpha if level is None else level
    pairs = {name: pair_tasks(before.get(name, {}), after.get(name, {})) for name in {**before, **after}}
    differences = {name: found.differences for name, found in pairs.items()}
    p = {name: p_values(own, rules.tolerance_of(name)) for name, own in differences.items()}
    tested = [name for name, own in differences.items() if selected_from * least_p(own) <= level]
    worse, better = (
        _adjust({name: own[side] for name, own in p.items()}, tested, rules.alpha, level, selected_from)
        for side in (0, 1)
    )
    with_data = sum(bool(own) for own in differences.values())
    strictest = max(level, 1e-300) / (selected_from * max(1, with_data))
    return [
        _verdict(
            name,
            found,
            rules,
            tasks_needed(found, strictest, rules.loss, rules.power, rules.tolerance_of(name)),
            (*p[name], worse[name], better[name]),
        )
        for name, found in pairs.items()
    ]


def _adjust(
    p_values: Mapping[str, float], tested: Sequence[str], alpha: float, level: float, selected_from: int
) -> dict[str, float]:
    """p values over domains, looks and references, on the scale of `alpha`; 1.0 for what is not tested."""
    if level <= 0:
        return dict.fromkeys(p_values, 1.0)
    corrected = holm({name: min(1.0, selected_from * p_values[name]) for name in tested})
    return {name: min(1.0, corrected.get(name, 1.0) * alpha / level) for name in p_values}


def _verdict(
    domain: str, pairs: Pairs, rules: GateRules, needed: int, p_values: tuple[float, float, float, float]
) -> DomainVerdict:
    n = len(pairs.before)
    differences = pairs.differences
    low, high = paired_interval(differences, rules.confidence) if n else (None, None)
    worse, better, adjusted_worse, adjusted_better = p_values
    return DomainVerdict(
        domain=domain,
        outcome=_outcome(adjusted_worse, adjusted_better, n, needed, rules.alpha),
        n=n,
        needed=needed,
        left_out=pairs.left_out,
        before=_mean(pairs.before),
        after=_mean(pairs.after),
        delta=_mean(differences),
        low=low,
        high=high,
        confidence=rules.confidence,
        tolerance=rules.tolerance_of(domain),
        p_worse=worse,
        p_better=better,
        adjusted_worse=adjusted_worse,
        adjusted_better=adjusted_better,
    )


def _outcome(worse: float, better: float, n: int, needed: int, alpha: float) -> Outcome:
    if n == 0:
        return "no data"
    if worse <= alpha:
        return "regressed"
    if better <= alpha:
        return "improved"
    return "unchanged" if n >= needed else "not enough data"


def _mean(values: Sequence[float]) -> float | None:
    return math.fsum(values) / len(values) if values else None
