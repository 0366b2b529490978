"""How many tasks a test needs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist


def tasks_needed(
    differences: Sequence[float], level: float, loss: float = 0.10, power: float = 0.9, tolerance: float = 0.0
) -> int:
    """The number of tasks with which a mean loss of `loss` is found with probability `power` at `level`, one-sided.

    (z_level + z_power)^2 variance / (loss - tolerance)^2: Miller, "Adding error bars to evals", arXiv:2411.00640,
    section 5. The variance is that of the observed differences with one task won and one lost added, as in the
    intervals, and at least that of a share `loss` of all tasks being lost outright: a domain where everything is solved
    has no variance until something breaks. Never less than 2^-n needs to reach `level`.

    Raises ValueError where `loss` is not above `tolerance`, or a probability not between 0 and 1.
    """
    if loss <= tolerance or not 0 < level < 1 or not 0 < power < 1:
        raise ValueError(f"loss={loss}, tolerance={tolerance}, level={level} and power={power} name no number of tasks")
    variance = max(_variance(differences), loss * (1 - loss))
    normal = NormalDist()
    quantiles = normal.inv_cdf(1 - level) + normal.inv_cdf(power)
    return max(math.ceil(quantiles**2 * variance / (loss - tolerance) ** 2), math.ceil(-math.log2(level)))


def _variance(differences: Sequence[float]) -> float:
    bound = max(1.0, *(abs(difference) for difference in differences), 1.0)
    n = len(differences) + 2
    mean = math.fsum(differences) / n
    return (math.fsum(difference * difference for difference in differences) + 2 * bound * bound) / n - mean * mean
