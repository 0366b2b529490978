"""Labelled completions and the verdicts on them, each judged twice."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from rlpt.records import Task, Verdict

FULL_REWARD = 1.0


class TimedScorer(Protocol):
    """What judges many completions and says how long each took: the pool."""

    def score_timed(self, items: Sequence[tuple[Task, str]]) -> list[tuple[Verdict, float]]:
        """Return one verdict for each (task, completion) and its seconds, in order."""
        ...


@dataclass(frozen=True, slots=True)
class Judged:
    """What was said of one completion: the verdict, its seconds, and the verdict when it was asked for again."""

    verdict: Verdict
    seconds: float
    again: Verdict


@dataclass(frozen=True, slots=True)
class Outcome:
    """One labelled completion and what was said of it. `expected`: its label, True where it is right."""

    id: str | int
    expected: bool
    completion: str
    judged: Judged

    @property
    def correct(self) -> bool | None:
        """What the verdict says: whether the completion gets the full reward; None where it was not scored."""
        reward = self.judged.verdict.reward
        return None if reward is None else reward >= FULL_REWARD

    @property
    def agrees(self) -> bool:
        """Whether the verdict says what the label says. A completion that was not scored does not agree."""
        return self.correct is self.expected

    @property
    def repeats(self) -> bool:
        """Whether both verdicts were the same. Their details may differ: they are words for a person."""
        return _judgement(self.judged.verdict) == _judgement(self.judged.again)

    def row(self) -> dict[str, Any]:
        """Plain values, as they are written to a file."""
        verdict = self.judged.verdict
        return {
            "id": self.id,
            "expected": self.expected,
            "correct": self.correct,
            "reward": verdict.reward,
            "status": verdict.status,
            "detail": verdict.detail,
            "seconds": round(self.judged.seconds, 6),
        }


def judge_twice(items: Sequence[tuple[Task, str]], pool: TimedScorer, seed: int) -> list[Judged]:
    """Judge (task, completion) pairs, then all of them again in an order shuffled by `seed`; in the order given.

    The second time they meet other neighbours and, where there are several workers, other workers.
    """
    first = pool.score_timed(items)
    order = list(range(len(items)))
    random.Random(seed).shuffle(order)
    second = pool.score_timed([items[place] for place in order])
    again = {place: verdict for place, (verdict, _) in zip(order, second, strict=True)}
    return [Judged(verdict, seconds, again[place]) for place, (verdict, seconds) in enumerate(first)]


def _judgement(verdict: Verdict) -> tuple[float | None, str, dict[str, float]]:
    return verdict.reward, verdict.status, dict(verdict.parts)
