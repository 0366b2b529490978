"""The tasks that two evaluations have in common, with what each side earned on them."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from rlpt.evaluation.sample import Sample

Rewards = Mapping[str, Sequence[float | None]]
"""The rewards of the samples of each task, by task id; None where a sample was not scored."""

LARGEST = 1e100

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Pairs:
    """Mean rewards of the tasks that both sides scored, in the same order.

    Both means of a task are over the same number of samples, at least `samples` (0 where there is no task). `left_out`
    other tasks stand on one side or both, without a score on both.
    """

    before: Sequence[float]
    after: Sequence[float]
    left_out: int
    samples: int

    @property
    def differences(self) -> list[float]:
        """After minus before, by task."""
        return [after - before for before, after in zip(self.before, self.after, strict=True)]


def pair_tasks(before: Rewards, after: Rewards) -> Pairs:
    """The tasks that both scored, in the order of `before`.

    A reward that is not finite (or above 1e100 in size) counts as not scored. Where one side has more scored samples
    of a task, its first ones count: only with equal numbers is a difference as likely to be d as -d when nothing
    changed. Near 0 the mean of eight samples is often a little above 0, that of two seldom and far, which would read
    as a loss.
    """
    found = []
    for task, rewards in before.items():
        first, second = equally_many(_scored(rewards), _scored(after.get(task, ())))
        if first:
            found.append((_mean(first), _mean(second), len(first)))
    return Pairs(
        before=[pair[0] for pair in found],
        after=[pair[1] for pair in found],
        left_out=len(before.keys() | after.keys()) - len(found),
        samples=min((pair[2] for pair in found), default=0),
    )


def equally_many(first: Sequence[T], second: Sequence[T]) -> tuple[Sequence[T], Sequence[T]]:
    """The first k of both, k the shorter length."""
    k = min(len(first), len(second))
    return first[:k], second[:k]


def mean_reward(rewards: Rewards) -> float | None:
    """The mean over tasks of the means of their scored samples; None where no sample was scored."""
    means = [_mean(scored) for own in rewards.values() if (scored := _scored(own))]
    return _mean(means) if means else None


def samples_by_task(samples: Iterable[Sample]) -> dict[str, dict[str, list[Sample]]]:
    """domain -> task -> its samples by index. Of samples with the same domain, task and index the first counts."""
    found: dict[tuple[str, str], dict[int, Sample]] = defaultdict(dict)
    for sample in samples:
        found[sample.domain, sample.task_id].setdefault(sample.index, sample)
    domains: dict[str, dict[str, list[Sample]]] = defaultdict(dict)
    for (domain, task), own in found.items():
        domains[domain][task] = [own[index] for index in sorted(own)]
    return dict(domains)


def rewards_by_domain(samples: Iterable[Sample]) -> dict[str, Rewards]:
    """The same with the samples' rewards in their place."""
    return {
        domain: {task: [sample.reward for sample in own] for task, own in tasks.items()}
        for domain, tasks in samples_by_task(samples).items()
    }


def _scored(rewards: Sequence[float | None]) -> list[float]:
    return [reward for reward in rewards if reward is not None and abs(reward) <= LARGEST]


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)
