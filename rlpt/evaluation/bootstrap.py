"""Confidence intervals of means over tasks, by bootstrap: deterministic, and never of width zero.

The Bayesian bootstrap (Rubin, "The Bayesian bootstrap", Annals of Statistics 9(1), 1981) weighs the tasks at random
(a Dirichlet distribution) where Efron's draws some of them again. Both say [1, 1] when three tasks of three were
solved: they have seen no variation, so they find no uncertainty. Therefore half a task is added at each end of the
scale. For tasks that are solved or not, the interval is then the one of Jeffreys' prior, whose coverage is close to
nominal at every size (Brown, Cai and DasGupta, "Interval estimation for a binomial proportion", Statistical Science
16(2), 2001); like theirs it reaches to the end where no task, or every one, was solved.

The unit is the task, with its k samples averaged first: Miller, "Adding error bars to evals", arXiv:2411.00640.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Interval = tuple[float, float]

RESAMPLES = 4_000
"""Their number moves a bound by about a fortieth of the interval's width."""

SEED = 0
AT_THE_ENDS = 0.5
"""Tasks that are added at 0 and at 1."""

MOST_NUMBERS = 1 << 22
"""Weights that are held at once: 32 MiB."""


def mean_interval(values: Sequence[float], confidence: float = 0.95) -> Interval:
    """Interval of the mean of per-task values, each within [0, 1]; the same values give the same interval.

    Where a verifier pays more or less than that, the ends of the scale are the observed ones. Raises ValueError where
    there is no value.
    """
    import numpy as np  # what compares evaluations starts without it

    if not len(values):
        raise ValueError("there is no task to take the mean of")
    tasks = np.asarray(values, dtype=np.float64)
    low_end, high_end = min(0.0, float(tasks.min())), max(1.0, float(tasks.max()))
    means = _means(np.concatenate([tasks, [low_end, high_end]]))
    tail = (1.0 - confidence) / 2
    low, high = (float(bound) for bound in np.quantile(means, [tail, 1.0 - tail]))
    mean = float(tasks.mean())
    at_low, at_high = bool((tasks == low_end).all()), bool((tasks == high_end).all())
    return low_end if at_low else min(low, mean), high_end if at_high else max(high, mean)


def _means(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Weighted means `[RESAMPLES]` of `values` `[n + 2]`, whose last two are the ends of the scale."""
    import numpy as np

    random = np.random.default_rng(SEED)
    rows = max(1, MOST_NUMBERS // len(values))
    means = []
    for start in range(0, RESAMPLES, rows):
        count = min(rows, RESAMPLES - start)
        tasks = random.standard_exponential((count, len(values) - 2))
        ends = random.standard_gamma(AT_THE_ENDS, (count, 2))
        total = tasks.sum(axis=1) + ends.sum(axis=1)
        means.append((tasks @ values[:-2] + ends @ values[-2:]) / total)
    return np.concatenate(means)
