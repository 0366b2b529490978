"""The number of tasks that a loss takes to be found."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from rlpt.evaluation.gate.pairs import Pairs
from rlpt.evaluation.gate.power import tasks_needed
from rlpt.evaluation.gate.signs import p_values

Floats = NDArray[np.float64]


def pairs(before: list[float], after: list[float], k: int = 1) -> Pairs:
    return Pairs(before, after, left_out=0, samples=k)


SOLVED = pairs([1.0] * 998, [1.0] * 998)


def test_by_hand() -> None:
    # All tasks weaker: 0.1 of them fail, of which the mean square is 0.1 and the variance 0.09; the two tasks added
    # bring 0.002 more, times 0.95. Quantiles: 1.6449 and 1.2816.
    by_hand = (1.6449 * 0.10175**0.5 + 1.2816 * 0.09182**0.5) ** 2 / 0.01
    assert tasks_needed(SOLVED, level=0.05) == pytest.approx(by_hand, abs=1)
    assert tasks_needed(SOLVED, level=0.05, tolerance=0.05) == pytest.approx(4 * by_hand, abs=2)


def test_more_is_asked_for_the_stricter_the_test_and_the_smaller_the_loss() -> None:
    half = pairs([1.0, 0.0] * 100, [0.0, 1.0] * 50 + [1.0, 0.0] * 50)
    needed = [tasks_needed(half, level) for level in (0.05, 0.05 / 6, 0.05 / 60)]
    assert needed == sorted(needed)
    assert needed[2] > 2 * needed[0]
    assert tasks_needed(half, 0.05, loss=0.05) > 3 * tasks_needed(half, 0.05)


def test_few_tasks_that_did_not_change_are_no_proof() -> None:
    found = [tasks_needed(pairs([1.0] * n, [1.0] * n), 0.05) for n in (0, 1, 20, 998)]
    assert found == sorted(found, reverse=True)
    assert len(set(found)) == 4


def test_signs_alone_need_some_tasks() -> None:
    assert tasks_needed(SOLVED, level=1e-6, loss=0.99, power=0.5) >= 20  # 2^-20 is below 1e-6


def bimodal(rng: np.random.Generator, tasks: int) -> Floats:
    return rng.beta(0.4, 0.4, tasks)


def evenly(solving: Floats, rng: np.random.Generator) -> Floats:
    return solving * (1 - 0.1 / solving.mean())


def whole_tasks(solving: Floats, rng: np.random.Generator) -> Floats:
    left = np.clip(np.cumsum(solving) - 0.1 * len(solving), 0.0, solving)
    return np.asarray(left)


DOMAINS: dict[str, Callable[[np.random.Generator, int], Floats]] = {
    "half": lambda rng, tasks: np.full(tasks, 0.5),
    "most": lambda rng, tasks: np.full(tasks, 0.9),
    "all": lambda rng, tasks: np.ones(tasks),
    "bimodal": bimodal,
}


@pytest.mark.parametrize("k", [1, 4])
@pytest.mark.parametrize("lose", [evenly, whole_tasks])
@pytest.mark.parametrize("domain", DOMAINS)
def test_so_many_do(domain: str, lose: Callable[[Floats, np.random.Generator], Floats], k: int) -> None:
    """With as many tasks as it says, the loss is found at least about as often as it says."""
    rng, level, draw = np.random.default_rng(1), 0.05 / 6, DOMAINS[domain]

    def measured(solving: Floats) -> list[float]:
        return [float(one) for one in rng.binomial(k, solving) / k]

    solving = draw(rng, 4000)
    n = tasks_needed(pairs(measured(solving), measured(solving), k), level)
    found = 0
    for _ in range(150):
        solving = draw(rng, n)
        before, after = measured(solving), measured(lose(solving, rng))
        found += p_values([b - a for a, b in zip(before, after, strict=True)])[0] <= level
    assert found / 150 >= 0.83  # 0.9 less three standard errors


def test_it_does_not_ask_for_far_too_many() -> None:
    rng = np.random.default_rng(2)
    solving = bimodal(rng, 4000)
    found = pairs(list(rng.binomial(2, solving) / 2), list(rng.binomial(2, solving) / 2), 2)
    half = tasks_needed(found, 0.05 / 6) // 2
    hits = 0
    for _ in range(150):
        solving = bimodal(rng, half)
        after = rng.binomial(2, evenly(solving, rng)) / 2
        hits += p_values(list(after - rng.binomial(2, solving) / 2))[0] <= 0.05 / 6
    assert hits / 150 < 0.8


@pytest.mark.parametrize("values", [{"tolerance": 0.1}, {"level": 0.0}, {"power": 1.0}])
def test_values_without_meaning_are_errors(values: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="name no number of tasks"):
        tasks_needed(SOLVED, **({"level": 0.05} | values))
