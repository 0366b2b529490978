"""How a run's error is shared among its evaluations.

A run that is looked at ten times at 5 % raises a false alarm far more often than in 5 % of runs. So the looks share the
run's alpha: half belongs to the last evaluation, the other half in equal parts to those in between (alpha spending;
Lan and DeMets, Biometrika 70, 1983, here without their assumption that data accumulate: a policy moves on, so by the
union bound). The last one has the larger part because it judges what people ship, and because a loss that stays
gets there. A loss in between has to be larger, or to be measured with more samples, to be seen at once.

Always-valid tests (Waudby-Smith and Ramdas, "Estimating means of bounded random variables by betting", J. R. Stat. Soc.
B 86, 2024) pay for looks without end; a run's number of evaluations is known, and each has data of its own.
"""

from __future__ import annotations

FINAL_SHARE = 0.5


def look_level(alpha: float, spent: float, interim_left: int, final: bool) -> float:
    """The level of one evaluation's test; whatever the sequence of calls, levels never add up to more than `alpha`.

    `spent` is the sum of the levels so far, `interim_left` the number of evaluations in between that are still planned,
    this one included; `final` says that this is the last. A run whose only comparison is the last spends all there.
    After an alarm start anew with `spent` = 0: a run without change that raised one is already counted.
    0.0 where nothing is left (more evaluations than planned). Raises ValueError for values without meaning.
    """
    if not 0 < alpha < 1 or spent < 0 or interim_left < 0:
        raise ValueError(f"alpha={alpha}, spent={spent} and interim_left={interim_left} make no level")
    if final:
        return max(0.0, alpha - spent)
    if interim_left == 0:
        return 0.0
    return max(0.0, (1 - FINAL_SHARE) * alpha - spent) / interim_left


def look_levels(alpha: float, looks: int) -> list[float]:
    """The levels of a run with `looks` comparisons, the last one after training."""
    levels: list[float] = []
    for look in range(looks):
        levels.append(look_level(alpha, sum(levels), looks - 1 - look, final=look == looks - 1))
    return levels
