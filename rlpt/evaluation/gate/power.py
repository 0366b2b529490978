"""How many tasks a test needs."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist

from rlpt.evaluation.gate.pairs import Pairs


def tasks_needed(pairs: Pairs, level: float, loss: float = 0.10, power: float = 0.9, tolerance: float = 0.0) -> int:
    """The number of tasks with which a mean loss of `loss` is found with probability `power` at `level`, one-sided.

    ((z_level size + z_power noise) / (loss - tolerance))^2, after Miller, "Adding error bars to evals",
    arXiv:2411.00640, section 5. A loss changes both, so they are those that the differences would have with it: their
    root mean square, from which the test takes its threshold, and their standard deviation from one sampling to the
    next. Two losses are thought of, and the one that needs more tasks counts: some tasks are lost outright, or all are
    solved less often by the same factor. Never less than 2^-n needs to reach `level`.

    Raises ValueError where `loss` is not above `tolerance`, or a probability not between 0 and 1.
    """
    if loss <= tolerance or not 0 < level < 1 or not 0 < power < 1:
        raise ValueError(f"loss={loss}, tolerance={tolerance}, level={level} and power={power} name no number of tasks")
    seen = _seen(pairs)
    normal = NormalDist()
    reach = max(
        -normal.inv_cdf(level) * math.sqrt(max(squares, loss)) + normal.inv_cdf(power) * math.sqrt(noise)
        for squares, noise in (_some_tasks_lost(seen, loss), _all_tasks_weaker(seen, loss))
    )
    return max(math.ceil((reach / (loss - tolerance)) ** 2), math.ceil(-math.log2(level)))


@dataclass(frozen=True, slots=True)
class _Seen:
    """`mean` and `squares` of the rewards before, `noise`: variance of the differences, `samples` of a task."""

    mean: float
    squares: float
    noise: float
    samples: int


def _seen(pairs: Pairs) -> _Seen:
    """As observed, with one task won and one lost added: few tasks that did not change are no proof."""
    differences = pairs.differences
    bound = max(1.0, *map(abs, differences), 1.0)
    n = len(differences) + 2
    mean = math.fsum(differences) / n
    noise = (math.fsum(one * one for one in differences) + 2 * bound * bound) / n - mean * mean
    lowest = min(0.0, *pairs.before, 0.0)
    before = [one - lowest for one in pairs.before] or [bound]
    squares = math.fsum(one * one for one in before) / len(before)
    return _Seen(math.fsum(before) / len(before), squares, noise, max(1, pairs.samples))


def _some_tasks_lost(seen: _Seen, loss: float) -> tuple[float, float]:
    """Mean square and noise of the differences if tasks at random earned nothing any more."""
    share = _share(seen, loss)
    return seen.noise + share * (seen.squares - seen.noise), seen.noise * (1 - share / 2)


def _all_tasks_weaker(seen: _Seen, loss: float) -> tuple[float, float]:
    """The same if every task were solved less often by the same factor: what was sure before is so no longer."""
    share = _share(seen, loss)
    sure = max(0.0, seen.squares - seen.noise / 2)
    noise = seen.noise * (1 - share / 2) + (1 - share) * share * sure / seen.samples
    return noise + share * share * sure, noise


def _share(seen: _Seen, loss: float) -> float:
    """The part of what was earned before that a loss is."""
    return min(1.0, loss / seen.mean) if seen.mean > 0 else 1.0
