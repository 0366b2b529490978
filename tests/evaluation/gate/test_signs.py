"""The sign-flip test beside full enumeration and values worked out by hand."""

from __future__ import annotations

import itertools
import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rlpt.evaluation.gate.signs import LEAST, least_p, p_values, sign_flip_tails


def enumerated(values: list[float]) -> tuple[float, float]:
    """Both tails over all signs."""
    signs = itertools.product((-1, 1), repeat=len(values))
    sums = [math.fsum(sign * value for sign, value in zip(own, values, strict=True)) for own in signs]
    total = math.fsum(values)
    return sum(s <= total + 1e-9 for s in sums) / len(sums), sum(s >= total - 1e-9 for s in sums) / len(sums)


@pytest.mark.parametrize("tolerance", [0.0, 0.02, 0.05])
@pytest.mark.parametrize("k", [1, 2, 3, 4, 7])
def test_means_of_k_samples_give_what_enumeration_gives(k: int, tolerance: float):
    rng = random.Random(k)
    for _ in range(10):
        values = [rng.randint(-k, k) / k + tolerance for _ in range(11)]
        assert sign_flip_tails(values) == pytest.approx(enumerated(values), abs=1e-11)


def test_one_sample_a_task_is_mcnemars_exact_test():
    differences = [-1.0] * 10 + [1.0] * 2 + [0.0] * 100
    worse, better = p_values(differences)
    assert worse == pytest.approx((1 + 12 + 66) / 2**12, abs=1e-12)
    assert better == pytest.approx(1 - (1 + 12) / 2**12, abs=1e-12)


def test_partial_rewards_are_rounded_to_the_safe_side_and_hardly():
    rng = random.Random(0)
    for _ in range(10):
        values = [rng.gauss(-0.2, 0.5) for _ in range(13)]
        for found, exact in zip(sign_flip_tails(values), enumerated(values), strict=True):
            assert exact - 1e-9 <= found <= exact + 0.02


def test_nothing_is_significant_more_often_than_it_says():
    sizes = [1.0, 1.0, 0.75, 0.5, 0.5, 0.25, 0.25, 0.25, 0.0, 0.0]
    signs = itertools.product((-1, 1), repeat=8)
    found = [p_values([a * b for a, b in zip(sizes, [*own, 1, 1], strict=True)])[0] for own in signs]
    for level in (0.001, 0.01, 0.05, 0.2, 0.5):
        assert sum(p <= level for p in found) <= level * len(found)
    assert least_p(sizes) == 1 / 256
    assert min(found) == pytest.approx(1 / 256)


def test_nothing_to_test_is_one():
    assert p_values([]) == p_values([0.0] * 50) == (1.0, 1.0)
    assert p_values([0.1 + 0.2 - 0.3] * 50) == (1.0, 1.0)
    assert least_p([]) == least_p([0.0, 1e-17]) == 1.0


def test_a_tolerated_loss_is_none_and_one_beyond_it_is():
    differences = [-1.0] * 10 + [0.0] * 190  # a loss of 0.05
    assert p_values(differences)[0] == pytest.approx(2**-10, abs=1e-11)
    assert p_values(differences, 0.02)[0] > p_values(differences)[0]
    assert p_values(differences, 0.05)[0] == pytest.approx(0.5, abs=0.15)
    assert p_values([-0.25] * 20, 0.2)[0] == pytest.approx(2**-20, abs=1e-11)
    assert p_values([-0.25] * 20, 0.25)[0] == 1.0


def test_a_tolerance_never_makes_an_alarm_likelier():
    # Shifted by 0.3 the two large losses outweigh the rest; without a shift seven pairs are too few for p below 1/128.
    differences = [-1.0, -1.0, -1.0, -1.0, -0.5, -0.5, -0.5]
    assert p_values(differences, 0.3)[0] >= p_values(differences)[0] == pytest.approx(1 / 128)


def test_a_negative_tolerance_is_an_error():
    with pytest.raises(ValueError, match="negative"):
        p_values([0.1], -0.01)


def test_extreme_rewards_give_p_values():
    worse, better = p_values([-1e99] * 12 + [0.5] * 3)
    assert worse == pytest.approx(2**-12, rel=0.3)
    assert better == pytest.approx(1.0, abs=1e-3)
    assert p_values([-1.0] * 5000) == (LEAST, 1.0)


@given(st.lists(st.sampled_from([-1.0, -2 / 3, -0.5, -1 / 3, 0.0, 0.25, 1 / 3, 1.0, 0.1234567]), max_size=60))
def test_tails_are_mirror_images_and_cover_everything(values: list[float]):
    lower, upper = sign_flip_tails(values)
    assert sign_flip_tails([-value for value in values]) == pytest.approx((upper, lower), abs=1e-10)
    assert 0 < lower <= 1
    assert lower + upper >= 1 - 1e-10
    assert sign_flip_tails(values[::-1]) == pytest.approx((lower, upper), abs=1e-10)
