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
Janssen, "Studentized permutation tests for non-i.i.d. hypotheses", Stat. Probab. Lett. 36, 1997). Shuffling a task's
samples between both sides would find a little more where nothing else happens, but would call such changes a loss far
too often: it knows only the variance within tasks.

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


def p_values(differences: Sequence[float], tolerance: float = 0.0) -> tuple[float, float]:
    """One-sided p values of "worse by more than the tolerance" and of "better"; (1.0, 1.0) for no differences.

    For "worse": the larger of the exact test of no change and, where there is a tolerance, of the studentised one
    around -`tolerance`. So false alarms are bounded exactly where nothing changed, and in large samples where the loss
    is the tolerated one. "Better" is against no change. Raises ValueError for a negative tolerance.
    """
    if tolerance < 0:
        raise ValueError("the tolerance must not be negative")
    worse, better = sign_flip_tails(differences)
    if tolerance:
        worse = max(worse, sign_flip_tails([difference + tolerance for difference in differences])[0])
    return worse, better


def least_p(differences: Sequence[float]) -> float:
    """The smallest p value that differences of these sizes could give: all of them with the same sign."""
    return 0.5 ** int(np.count_nonzero(_scaled(differences)))


def sign_flip_tails(values: Sequence[float]) -> tuple[float, float]:
    """P(S <= s) and P(S >= s) of S = sum of `values` with random signs, where s is their sum; never below `LEAST`.

    Values are finite. (1.0, 1.0) for none, or where all are 0.
    """
    scaled = _scaled(values)
    scaled = scaled[scaled != 0.0]
    if not len(scaled):
        return 1.0, 1.0
    unit, slack = _lattice(np.abs(scaled))
    units = np.rint(np.abs(scaled) / unit).astype(np.int64)
    # On a common unit the sum is a whole number. Else it is not rounded: the slack covers what rounding does to S.
    total = math.fsum(scaled) / unit if slack else float(np.sum(np.sign(scaled) * units))
    probabilities = _sum_of_signs(units)
    least = max(LEAST, 0.5 ** len(scaled))
    lower, upper = (_tail(probabilities, math.floor(end + slack)) for end in (total, -total))
    return min(1.0, max(lower, least)), min(1.0, max(upper, least))


def _scaled(values: Sequence[float]) -> Floats:
    """The values; where some are very large, all divided by the largest, so that squares stay finite.

    Rounding errors of means, such as 0.1 + 0.2 - 0.3, are 0.
    """
    scaled = np.array(values, dtype=np.float64)
    largest = float(np.max(np.abs(scaled), initial=0.0))
    if largest > 1e6:
        scaled /= largest
    scaled[np.abs(scaled) < 1e-9] = 0.0
    return scaled


def _lattice(sizes: Floats) -> tuple[float, float]:
    """The unit that all sizes are multiples of, and 0; or a fine one, and how many units rounding may move the sum."""
    length = float(np.sqrt(np.sum(sizes * sizes)))
    common = 1
    for size in np.unique(np.round(sizes, 10)):
        near = Fraction(float(size)).limit_denominator(_DENOMINATOR)
        common = math.lcm(common, near.denominator)
        if abs(float(near) - size) > 1e-9 or 2 * _REACH * length * common > _LONGEST:
            # Rounding errors have random signs too, hence the roots.
            root = math.sqrt(len(sizes))
            return length / (_RESOLUTION * root), _REACH * root / 2
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
