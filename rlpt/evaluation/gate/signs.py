"""The sign-flip test of paired differences: exact for "nothing changed", studentised for a tolerated loss.

If two evaluations sample the same policy, a task's difference is as likely to be d as -d, whatever the task's
difficulty, the number of samples (the same on both sides) and the other tasks. Given the sizes |d|, the sum of the
differences then has a known distribution: each term has a random sign. Its tail at the observed sum is an exact p value
for every number of tasks, also where most differences are 0. With one 0/1 sample a task it is McNemar's exact test.
See Fisher, "The Design of Experiments", 1935, section 21; Pesarin and Salmaso, "Permutation Tests for Complex Data",
2010, section 1.9; for evaluations of language models Dror et al., "The Hitchhiker's Guide to Testing Statistical
Significance in NLP", ACL 2018.

Where tasks change but the average does not (or is a tolerated loss), signs are no longer equally likely; the test then
holds in large samples: flips leave the sum of squares as it is, so the sum orders the flips as Student's t does
(Romano, "On the behavior of randomization tests without a group invariance assumption", J. Am. Stat. Assoc. 85, 1990;
Janssen, "Studentized permutation tests for non-i.i.d. hypotheses", Stat. Probab. Lett. 36, 1997).

Nothing is drawn at random here: the distribution of the sum comes from its characteristic function, prod cos(w t), by
one discrete Fourier transform. That is exact where the sizes are multiples of a common unit (means of k samples in
{0, 1} always are); other sizes are rounded to a fine grid, and the rounding is added on the safe side.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

LEAST = 1e-12
"""The smallest p value that is told: the transform is exact to about 1e-14."""
_REACH = 8.0  # a sum of random signs is further out than this many lengths with P < 2 exp(-32) (Hoeffding)
_DENOMINATOR = 1000
_LONGEST = 1 << 20
_RESOLUTION = 160.0  # the rounding then adds 0.025 standard deviations to the sum


def p_worse(differences: Sequence[float], tolerance: float = 0.0) -> float:
    """One-sided p value of "the mean difference is at least -tolerance" against "it is lower".

    The larger of the exact test of no change and, where there is a tolerance, of the studentised one around
    -`tolerance`: so false alarms where nothing changed are bounded exactly, and near the tolerance in large samples.
    1.0 for no differences. Raises ValueError for a negative tolerance.
    """
    if tolerance < 0:
        raise ValueError("the tolerance must not be negative")
    exact, _ = sign_flip_tails(differences)
    if tolerance == 0:
        return exact
    return max(exact, sign_flip_tails([difference + tolerance for difference in differences])[0])


def p_better(differences: Sequence[float]) -> float:
    """One-sided p value of "nothing changed, or it got worse" against "the mean difference is above 0"."""
    return sign_flip_tails(differences)[1]


def least_p(differences: Sequence[float]) -> float:
    """The smallest p value that differences of these sizes could give: all of them with the same sign."""
    return 0.5 ** int(np.count_nonzero(_sizes(differences)))


def sign_flip_tails(values: Sequence[float]) -> tuple[float, float]:
    """P(S <= s) and P(S >= s) of S = sum of `values` with random signs, where s is their sum; never below `LEAST`.

    Values are finite. (1.0, 1.0) for none, or where all are 0.
    """
    sizes = _sizes(values)
    length = float(np.sqrt(np.sum(sizes * sizes)))
    if length == 0.0:
        return 1.0, 1.0
    total = math.fsum(values) / _scale(values)
    unit, slack = _lattice(sizes, length)
    units = np.rint(sizes / unit).astype(np.int64)
    probabilities = _sum_of_signs(units)
    least = max(LEAST, 0.5 ** int(np.count_nonzero(sizes)))
    lower = _tail(probabilities, math.floor((total + slack) / unit + 1e-6))
    upper = _tail(probabilities, math.floor((slack - total) / unit + 1e-6))
    return min(1.0, max(lower, least)), min(1.0, max(upper, least))


def _scale(values: Sequence[float]) -> float:
    """What the values are divided by, so that squares of very large ones stay finite."""
    largest = max((abs(value) for value in values), default=1.0)
    return largest if largest > 1e6 else 1.0


def _sizes(values: Sequence[float]) -> Floats:
    """Absolute values; rounding errors of means, such as 0.1 + 0.2 - 0.3, are 0."""
    sizes = np.abs(np.asarray(values, dtype=np.float64)) / _scale(values)
    sizes[sizes < 1e-9] = 0.0
    return sizes


def _lattice(sizes: Floats, length: float) -> tuple[float, float]:
    """The unit that all sizes are multiples of, and 0; or a fine one, and what rounding to it may do to the sum."""
    common = 1
    for size in np.unique(np.round(sizes, 10)):
        near = Fraction(float(size)).limit_denominator(_DENOMINATOR)
        common = math.lcm(common, near.denominator)
        if abs(float(near) - size) > 1e-9 or 2 * _REACH * length * common > _LONGEST:
            # Rounding errors have random signs too, hence the root.
            unit = length / (_RESOLUTION * math.sqrt(len(sizes)))
            return unit, _REACH * unit / 2 * math.sqrt(len(sizes))
    return 1 / common, 0.0


def _sum_of_signs(units: Integers) -> Floats:
    """P(S = j - m/2) for j in 0..m-1, S the sum of `units` with random signs. [m]"""
    reach = min(float(units.sum()), _REACH * math.sqrt(float(np.sum(units * units))))
    m = 1 << (2 * math.ceil(reach) + 2).bit_length()
    angles = np.arange(m // 2 + 1, dtype=np.int64)
    cosines = np.cos(2 * np.pi / m * np.arange(m))
    with np.errstate(divide="ignore"):
        logs = np.log(np.abs(cosines))
    negative = cosines < 0
    exponent, minus = np.zeros(len(angles)), np.zeros(len(angles), dtype=bool)
    for unit, count in zip(*np.unique(units[units > 0], return_counts=True), strict=True):
        places = (angles * unit) % m
        exponent += count * logs[places]
        if count % 2:
            minus ^= negative[places]
    characteristic = np.where(minus, -1.0, 1.0) * np.exp(exponent)
    return np.roll(np.fft.irfft(characteristic, m), m // 2)


def _tail(probabilities: Floats, last: int) -> float:
    """P(S <= last)."""
    stop = last + len(probabilities) // 2 + 1
    return float(np.sum(probabilities[: max(0, stop)]))
