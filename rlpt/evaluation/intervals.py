"""Confidence intervals of differences between means over tasks: closed form, deterministic, and never of width zero.

A bootstrap over tasks says [0, 0] when three tasks of three did not change, and [1, 1] when three of three were
gained: it has seen no variation, so it finds no uncertainty. So do the plain t and Wald intervals. Those cases are
common here (small suites, domains near 0 or 1), and they turn into false verdicts. The adjusted Wald intervals below
add a few pseudo-observations to the sample before they take mean and variance; their coverage is close to nominal
from a handful of tasks on, for 0/1 outcomes as for means of k samples.

- Difference of paired outcomes: Bonett and Price, "Adjusted Wald confidence interval for a difference of binomial
  proportions based on paired data", J. Educ. Behav. Stat. 37(4), 2012: one pair that was won and one that was lost are
  added. See also Agresti and Min, Statistics in Medicine 24, 2005.
- The unit is the task, with its k samples averaged first (clusters), and two policies are compared on the same tasks
  (pairs): Miller, "Adding error bars to evals", arXiv:2411.00640, sections 3 and 4.

Written for outcomes in [0, 1]; where a verifier pays more or less than that, the pseudo-observations take the
observed extremes, which keeps the interval on the wide side.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist

Interval = tuple[float, float]


def paired_interval(differences: Sequence[float], confidence: float = 0.95) -> Interval:
    """Interval of the mean of per-task differences (after minus before), each within [-1, 1].

    Raises ValueError where there is no difference.
    """
    bound = max(1.0, max(abs(difference) for difference in differences))
    return _adjusted(differences, pseudo=1.0, low=-bound, high=bound, confidence=confidence)


def _adjusted(values: Sequence[float], pseudo: float, low: float, high: float, confidence: float) -> Interval:
    """Wald interval after adding `pseudo` observations at `low` and as many at `high`, cut at both."""
    n = len(values) + 2 * pseudo
    mean = (math.fsum(values) + pseudo * (low + high)) / n
    second = (math.fsum(value * value for value in values) + pseudo * (low * low + high * high)) / n
    half = _quantile(confidence) * math.sqrt(max(0.0, second - mean * mean) / n)
    return max(low, mean - half), min(high, mean + half)


def _quantile(confidence: float) -> float:
    return NormalDist().inv_cdf((1 + confidence) / 2)
