"""What k samples of a task say together: pass@k and majority@k."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from rlpt.evaluation.bootstrap import mean_interval
from rlpt.evaluation.sample import Sample


def pass_at(k: int, right: Sequence[bool]) -> float:
    """Probability that at least one of `k` samples is right, unbiased, from the `n` >= `k` in `right`.

    1 - C(n - c, k) / C(n, k) for c right ones, as a product: Chen et al., "Evaluating large language models trained on
    code", arXiv:2107.03374, equation 1 and figure 3. Raises ValueError for fewer than `k` samples.
    """
    n, c = len(right), sum(right)
    if not 1 <= k <= n:
        raise ValueError(f"pass@{k} of {n} samples")
    missed = 1.0
    for i in range(n - c + 1, n + 1):
        missed *= max(0.0, 1.0 - k / i)
    return 1.0 - missed


def majority(answers: Sequence[str | None], right: Sequence[bool]) -> float | None:
    """Whether the most frequent answer is right: Wang et al., "Self-consistency", arXiv:2203.11171, section 2.

    Among answers that are equally frequent each counts in part, as chance would choose; so do the samples of one
    answer where not all were found right. A sample without an answer ("") has no vote, and without any vote it is 0.
    None where some sample has no answer to compare (None), and for no sample at all.
    """
    votes = [answer for answer in answers if answer is not None]
    if not answers or len(votes) < len(answers):
        return None
    counts = Counter(answer for answer in votes if answer)
    most = max(counts.values(), default=0)
    chosen = {answer for answer, count in counts.items() if count == most}
    judged = [float(good) for answer, good in zip(votes, right, strict=True) if answer in chosen]
    return sum(judged) / len(judged) if judged else 0.0


def powers_of_two(most: int) -> list[int]:
    """1, 2, 4, ... up to `most`."""
    return [1 << i for i in range(most.bit_length())]


@dataclass(frozen=True, slots=True)
class Rate:
    """A mean over the `n` tasks that have enough scored samples for it, with its interval."""

    value: float
    low: float
    high: float
    n: int


def pass_rates(tasks: Sequence[Sequence[Sample]], confidence: float) -> dict[int, Rate]:
    """pass@k for k = 1, 2, 4, ... up to the most scored samples of a task; `tasks` holds each task's scored samples."""
    rates = {}
    for k in powers_of_two(max(map(len, tasks), default=0)):
        rates[k] = _rate([pass_at(k, _right(own)) for own in tasks if len(own) >= k], confidence)
    return rates


def majority_rate(tasks: Sequence[Sequence[Sample]], confidence: float) -> Rate | None:
    """majority@k of the tasks with the most scored samples, k of them; None where their answers cannot be compared."""
    k = max(map(len, tasks), default=0)
    values = [majority([sample.answer for sample in own], _right(own)) for own in tasks if k and len(own) == k]
    known = [value for value in values if value is not None]
    return _rate(known, confidence) if known and len(known) == len(values) else None


def _right(samples: Sequence[Sample]) -> list[bool]:
    return [sample.status == "correct" for sample in samples]


def _rate(values: Sequence[float], confidence: float) -> Rate:
    low, high = mean_interval(values, confidence)
    return Rate(math.fsum(values) / len(values), low, high, len(values))
