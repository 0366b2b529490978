"""The tasks that two evaluations have in common, with what each side earned on them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from rlpt.evaluation.sample import Sample

Rewards = Mapping[str, Sequence[float | None]]
"""The rewards of the samples of each task, by task id; None where a sample was not scored."""

LARGEST = 1e100


@dataclass(frozen=True, slots=True)
class Pairs:
    """Mean rewards of the tasks that both sides scored, in the same order; `left_out` stand on one side at least.

    Both means of a task are over the same number of samples, `fewest` to `most` of them.
    """

    before: Sequence[float]
    after: Sequence[float]
    left_out: int
    fewest: int
    most: int

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
        first, second = _scored(rewards), _scored(after.get(task, ()))
        k = min(len(first), len(second))
        if k:
            found.append((_mean(first[:k]), _mean(second[:k]), k))
    return Pairs(
        before=[pair[0] for pair in found],
        after=[pair[1] for pair in found],
        left_out=len({*before, *after}) - len(found),
        fewest=min((pair[2] for pair in found), default=0),
        most=max((pair[2] for pair in found), default=0),
    )


def rewards_by_domain(samples: Iterable[Sample]) -> dict[str, dict[str, list[float | None]]]:
    """Each domain's rewards. Of samples with the same domain, task and index the first counts."""
    domains: dict[str, dict[str, dict[int, float | None]]] = {}
    for sample in samples:
        domains.setdefault(sample.domain, {}).setdefault(sample.task_id, {}).setdefault(sample.index, sample.reward)
    return {
        domain: {task: [rewards[index] for index in sorted(rewards)] for task, rewards in tasks.items()}
        for domain, tasks in domains.items()
    }


def _scored(rewards: Sequence[float | None]) -> list[float]:
    # A reward that is not a number says as little as none.
    return [reward for reward in rewards if reward is not None and math.isfinite(reward) and abs(reward) <= LARGEST]


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)
