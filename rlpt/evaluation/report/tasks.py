"""The tasks that a candidate won or lost against a reference, with the texts that show it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rlpt.evaluation.sample import Sample
from rlpt.tracking.samples import answer_text

Key = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer for a reader; `mean` is the reward of all the side's scored answers to the task."""

    text: str
    reward: float
    mean: float
    status: str
    detail: str
    tokens: int
    truncated: bool


@dataclass(frozen=True, slots=True)
class Moved:
    """A task whose mean reward is not the same on both sides."""

    domain: str
    task_id: str
    prompt: str
    before: Answer
    after: Answer

    @property
    def delta(self) -> float:
        """The candidate's mean reward minus the reference's."""
        return self.after.mean - self.before.mean


@dataclass(frozen=True, slots=True)
class MovedTasks:
    """Those of one domain, the greatest change first; `n` tasks were scored on both sides."""

    n: int
    lost: Sequence[Moved]
    won: Sequence[Moved]


def moved_tasks(reference: Iterable[Sample], candidate: Iterable[Sample]) -> dict[str, MovedTasks]:
    """Domain -> the tasks lost and won, in the order in which `reference` has the domains.

    Of several answers to a task, the best of the side that did better and the worst of the other are shown.
    """
    before, after = _scored(reference), _scored(candidate)
    pairs = {key: (before[key], after[key]) for key in before if key in after}
    moved = {key: _moved(*answers) for key, answers in pairs.items()}
    found = {}
    for domain in dict.fromkeys(domain for domain, _ in pairs):
        mine = [item for (of, _), item in moved.items() if of == domain]
        lost = sorted((item for item in mine if item.delta < 0), key=lambda item: item.delta)
        won = sorted((item for item in mine if item.delta > 0), key=lambda item: -item.delta)
        found[domain] = MovedTasks(len(mine), lost, won)
    return found


def _scored(samples: Iterable[Sample]) -> dict[Key, list[Sample]]:
    tasks: dict[Key, list[Sample]] = {}
    for sample in samples:
        if sample.reward is not None and math.isfinite(sample.reward):
            tasks.setdefault((sample.domain, sample.task_id), []).append(sample)
    return tasks


def _moved(before: Sequence[Sample], after: Sequence[Sample]) -> Moved:
    lost = _mean(after) < _mean(before)
    first = before[0]
    return Moved(first.domain, first.task_id, first.prompt, _answer(before, lost), _answer(after, not lost))


def _answer(samples: Sequence[Sample], best: bool) -> Answer:
    shown = (max if best else min)(samples, key=_reward)
    return Answer(
        text=answer_text(shown.text, shown.messages),
        reward=_reward(shown),
        mean=_mean(samples),
        status=shown.status,
        detail=shown.detail,
        tokens=shown.tokens,
        truncated=shown.truncated,
    )


def _reward(sample: Sample) -> float:
    assert sample.reward is not None
    return sample.reward


def _mean(samples: Sequence[Sample]) -> float:
    return math.fsum(map(_reward, samples)) / len(samples)
