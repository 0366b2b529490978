"""What an evaluation says of a policy, and what two evaluations say of the change between them, by domain."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from rlpt.evaluation.bootstrap import mean_interval
from rlpt.evaluation.gate.pairs import rewards_by_domain
from rlpt.evaluation.gate.verdict import DomainVerdict, GateRules, Outcome, judge
from rlpt.evaluation.intervals import paired_interval
from rlpt.evaluation.rates import Rate, majority_rate, pass_rates
from rlpt.evaluation.sample import Sample


@dataclass(frozen=True, slots=True)
class DomainSummary:
    """One domain of one evaluation.

    `reward` is the mean over `n` tasks of the mean over each task's scored samples; `low` and `high` bound it.
    `format`, `truncated`, `tokens` and `hack_rate` (verdicts that say `suspicious`) are means over samples. `unscored`
    samples had no reward and count nowhere else than in the last three. None stands where nothing was scored or judged.
    `pass_at`: k -> pass@k for powers of two up to the samples of a task; `majority` is majority@k of all of them.
    """

    domain: str
    reward: float | None
    low: float | None
    high: float | None
    n: int
    samples: int
    unscored: int
    format: float | None
    truncated: float
    tokens: float
    hack_rate: float
    pass_at: Mapping[int, Rate] = field(default_factory=dict)
    majority: Rate | None = None

    @property
    def samples_per_task(self) -> int:
        """The largest k of pass@k."""
        return max(self.pass_at, default=0)


@dataclass(frozen=True, slots=True)
class DomainComparison:
    """One domain of two evaluations of the same tasks.

    All means are over the `n` tasks that both scored; `delta` = `after` - `before`, and `low`, `high` bound it.
    `delta_from_format` is the part of `delta` that comes from more (or fewer) answers having the asked-for form, the
    rest is `delta_from_content`: see `format_share`. None stands where nothing was scored or judged. `verdict` is the
    gate's over all domains together; `needed` tasks would do where it is "not enough data".
    """

    domain: str
    before: float | None
    after: float | None
    delta: float | None
    low: float | None
    high: float | None
    confidence: float
    n: int
    format_before: float | None
    format_after: float | None
    delta_from_format: float | None
    delta_from_content: float | None
    truncated_before: float
    truncated_after: float
    tokens_before: float
    tokens_after: float
    unscored_before: int
    unscored_after: int
    hack_rate_before: float = 0.0
    hack_rate_after: float = 0.0
    verdict: Outcome = "no data"
    needed: int = 0

    def to_json(self) -> dict[str, Any]:
        """Plain values for summary.json. The interval stands under `ci95` (`ci90` for a confidence of 0.9)."""
        values = {name: getattr(self, name) for name in self.__slots__ if name not in ("domain", "low", "high")}
        values[interval_key(self.confidence)] = None if self.low is None else [self.low, self.high]
        return values


def comparison_from_json(domain: str, values: Mapping[str, Any]) -> DomainComparison:
    """The inverse of `DomainComparison.to_json`; what a summary of an older run lacks has its default."""
    low, high = values[interval_key(values["confidence"])] or (None, None)
    rest = {name: values[name] for name in DomainComparison.__slots__ if name in values}
    return DomainComparison(domain=domain, low=low, high=high, **rest)


def interval_key(confidence: float) -> str:
    """`ci95` for 0.95."""
    return f"ci{100 * confidence:g}"


def summarise(samples: Iterable[Sample], confidence: float = 0.95) -> list[DomainSummary]:
    """Each domain of one evaluation, in order of appearance."""
    return [_summary(domain, mine, confidence) for domain, mine in _by_domain(samples).items()]


def compare_samples(
    before: Sequence[Sample], after: Sequence[Sample], rules: GateRules | None = None, level: float | None = None
) -> list[DomainComparison]:
    """Each domain that both evaluations have, task by task, in the order of `before`.

    The verdicts are the gate's by `rules`, with `level` as this comparison's part of their alpha: by default all of it.
    """
    rules = rules or GateRules()
    judged = judge(rewards_by_domain(before), rewards_by_domain(after), rules, level)
    verdicts = {verdict.domain: verdict for verdict in judged}
    first, second = _by_domain(before), _by_domain(after)
    return [
        _compare(first[domain], second[domain], verdicts[domain], rules.confidence)
        for domain in first
        if domain in second
    ]


def format_share(before: Sequence[Weighted], after: Sequence[Weighted]) -> tuple[float, float] | None:
    """How much of a change in mean reward comes from format, and how much from content; they add up to the change.

    The mean reward is P(format) E[reward | format] + P(no format) E[reward | no format]; where an answer without the
    form earns nothing that is P(format) P(correct | format). The change of such a sum splits into the part of the
    proportions, weighed with the average of the conditional rewards, and the part of the conditional rewards:
    Kitagawa, "Components of a difference between two rates", J. Am. Stat. Assoc. 50, 1955 (two-fold decomposition;
    in economics Oaxaca-Blinder). Where one side has no answer of a kind, its conditional reward is taken from the
    other side: all of that kind's appearance then counts as format.

    None where no verdict has a `format` part; where only some have it, the others count as without the form.
    """
    if _mean_format(before) is None or _mean_format(after) is None:
        return None
    (share0, with0, without0), (share1, with1, without1) = _strata(before), _strata(after)
    with0, with1 = _either(with0, with1)
    without0, without1 = _either(without0, without1)
    gap = (with0 + with1) / 2 - (without0 + without1) / 2
    from_format = (share1 - share0) * gap
    total = _mean_reward(after) - _mean_reward(before)
    return from_format, total - from_format


@dataclass(frozen=True, slots=True)
class Weighted:
    """A scored sample with its weight in the mean: tasks count the same, however many of their samples were scored."""

    weight: float
    reward: float
    format: float | None


def weigh(samples: Iterable[Sample]) -> list[Weighted]:
    """The scored samples, with weights that sum to 1 and give each task the same share."""
    tasks = [mine for mine in _scored_by_task(samples).values() if mine]
    return [Weighted(1 / (len(tasks) * len(mine)), _reward(sample), sample.format) for mine in tasks for sample in mine]


def _summary(domain: str, samples: Sequence[Sample], confidence: float) -> DomainSummary:
    tasks = [mine for mine in _scored_by_task(samples).values() if mine]
    means = [_mean(map(_reward, mine)) for mine in tasks]
    low, high = mean_interval(means, confidence) if means else (None, None)
    return DomainSummary(
        domain=domain,
        reward=_mean(means) if means else None,
        low=low,
        high=high,
        n=len(means),
        samples=len(samples),
        unscored=_unscored(samples),
        format=_mean_format(weigh(samples)),
        truncated=_mean(sample.truncated for sample in samples),
        tokens=_mean(sample.tokens for sample in samples),
        hack_rate=_hack_rate(samples),
        pass_at=pass_rates(tasks, confidence),
        majority=majority_rate(tasks, confidence),
    )


def _compare(
    before: Sequence[Sample], after: Sequence[Sample], verdict: DomainVerdict, confidence: float
) -> DomainComparison:
    first, second = _scored_by_task(before), _scored_by_task(after)
    pairs = [task for task in first if first[task] and second.get(task)]
    was = weigh(sample for task in pairs for sample in first[task])
    now = weigh(sample for task in pairs for sample in second[task])
    differences = [_mean(map(_reward, second[task])) - _mean(map(_reward, first[task])) for task in pairs]
    low, high = paired_interval(differences, confidence) if pairs else (None, None)
    parts = format_share(was, now)
    return DomainComparison(
        domain=verdict.domain,
        before=_mean_reward(was) if pairs else None,
        after=_mean_reward(now) if pairs else None,
        delta=_mean(differences) if pairs else None,
        low=low,
        high=high,
        confidence=confidence,
        n=len(pairs),
        format_before=_mean_format(was),
        format_after=_mean_format(now),
        delta_from_format=parts[0] if parts else None,
        delta_from_content=parts[1] if parts else None,
        truncated_before=_mean(sample.truncated for sample in before),
        truncated_after=_mean(sample.truncated for sample in after),
        tokens_before=_mean(sample.tokens for sample in before),
        tokens_after=_mean(sample.tokens for sample in after),
        unscored_before=_unscored(before),
        unscored_after=_unscored(after),
        hack_rate_before=_hack_rate(before),
        hack_rate_after=_hack_rate(after),
        verdict=verdict.outcome,
        needed=verdict.needed if verdict.outcome == "not enough data" else 0,
    )


def _by_domain(samples: Iterable[Sample]) -> dict[str, list[Sample]]:
    domains: dict[str, list[Sample]] = defaultdict(list)
    for sample in samples:
        domains[sample.domain].append(sample)
    return dict(domains)


def _scored_by_task(samples: Iterable[Sample]) -> dict[str, list[Sample]]:
    tasks: dict[str, list[Sample]] = defaultdict(list)
    for sample in samples:
        if _is_scored(sample):
            tasks[sample.task_id].append(sample)
    return dict(tasks)


def _is_scored(sample: Sample) -> bool:
    # A reward that is not a number says as little as none.
    return sample.reward is not None and math.isfinite(sample.reward)


def _unscored(samples: Sequence[Sample]) -> int:
    return sum(not _is_scored(sample) for sample in samples)


def _hack_rate(samples: Sequence[Sample]) -> float:
    return _mean(sample.status == "suspicious" for sample in samples)


def _reward(sample: Sample) -> float:
    assert sample.reward is not None
    return sample.reward


def _strata(samples: Sequence[Weighted]) -> tuple[float, float | None, float | None]:
    """Share of answers with the form; mean reward with it; mean reward without it."""
    share = math.fsum(item.weight * (item.format or 0.0) for item in samples)
    with_form = math.fsum(item.weight * (item.format or 0.0) * item.reward for item in samples)
    without = math.fsum(item.weight * (1 - (item.format or 0.0)) * item.reward for item in samples)
    rest = 1 - share
    tiny = 1e-9
    return share, with_form / share if share > tiny else None, without / rest if rest > tiny else None


def _either(first: float | None, second: float | None) -> tuple[float, float]:
    known = first if first is not None else second if second is not None else 0.0
    return (known if first is None else first), (known if second is None else second)


def _mean_reward(samples: Sequence[Weighted]) -> float:
    return math.fsum(item.weight * item.reward for item in samples)


def _mean_format(samples: Sequence[Weighted]) -> float | None:
    if all(item.format is None for item in samples):
        return None
    return math.fsum(item.weight * (item.format or 0.0) for item in samples)


def _mean(values: Iterable[float]) -> float:
    found = list(values)
    return math.fsum(found) / len(found) if found else 0.0
