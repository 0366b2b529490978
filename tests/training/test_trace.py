"""Fifty updates of the tiny policy give the losses and gradient norms of the record, to 1e-4.

Why 1e-4: nothing chaotic happens in 50 updates at this learning rate. Another number of threads and other CPU kernels
(`ATEN_CPU_CAPABILITY=default` for AVX2) moved no value by more than 2e-6, and first weights that are off by 1e-6, about
ten roundings of fp32, move none by more than 1e-5. A wrong formula or setting moves some by 1e-3 and more.
"""

from __future__ import annotations

import pytest

from tests.training.trace import CASES, UPDATES, Trace, recorded, trace

TOLERANCE = 1e-4
CHANGES = {
    "a bound of the ratio": ("dapo", "algorithm.loss.clip_high=0.29"),
    "the denominator": ("grpo", "algorithm/aggregation=sequence_mean"),
    "the cap of the correction": ("grpo", "algorithm.correction.cap=1.9"),
    "the weight of the KL": ("grpo with KL and entropy", "algorithm.kl.coefficient=0.101"),
    "the weight of the KL in the reward": ("ppo", "algorithm.kl.coefficient=0.051"),
    "the temperature": ("ppo", "sampler.temperature=0.801"),
    "lambda": ("ppo", "algorithm.advantage.lam=0.96"),
    "Adam's eps": ("grpo", "algorithm.optimizer.eps=1e-6"),
    "Adam's second moment": ("grpo", "algorithm.optimizer.betas=[0.9,0.99]"),
    "the bound of the gradient": ("grpo", "algorithm.optimizer.max_grad_norm=4.8"),
}
"""What must be seen, each the least change of its kind: a mistake in the code is larger."""


def largest_difference(found: Trace, expected: Trace) -> float:
    """Of norms the relative difference; of losses, which are near 0 at times, the share of the largest in the trace."""
    assert found.keys() == expected.keys()
    worst = 0.0
    for name, values in expected.items():
        highest = max(map(abs, values))
        for value, other in zip(found[name], values[: len(found[name])], strict=True):
            worst = max(worst, abs(value - other) / (abs(other) if name.endswith("norm") else highest))
    return worst


@pytest.mark.parametrize("name", CASES)
def test_fifty_updates_are_those_of_the_record(name: str) -> None:
    expected = recorded()[name]
    assert {len(values) for values in expected.values()} == {UPDATES}
    found = trace(name)
    assert {len(values) for values in found.values()} == {UPDATES}
    assert largest_difference(found, expected) < TOLERANCE, "if meant: python -m tests.training.trace"


def test_rounding_does_not_grow() -> None:
    assert largest_difference(trace("dapo", noise=1e-6), recorded()["dapo"]) < TOLERANCE / 5


@pytest.mark.parametrize("change", CHANGES)
def test_a_small_change_is_seen(change: str) -> None:
    name, override = CHANGES[change]
    assert largest_difference(trace(name, [override], updates=16), recorded()[name]) > 3 * TOLERANCE
