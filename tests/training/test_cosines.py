"""Cosines of noisy gradients come with an error that can be relied on."""

from __future__ import annotations

import pytest
import torch

from rlpt.training.cosines import cosines


def noisy(direction: torch.Tensor, noise: float, generator: torch.Generator, parts: int = 4) -> torch.Tensor:
    return direction + noise * torch.randn(parts, len(direction), generator=generator)


def test_opposite_and_equal_directions() -> None:
    direction = torch.randn(50, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    parts = {"a": direction.repeat(3, 1), "b": -direction.repeat(2, 1), "c": 2.0 * direction.repeat(4, 1)}
    found = cosines(parts, sketch_error=0.01)
    assert {pair: round(cosine.value, 9) for pair, cosine in found.items()} == {
        ("a", "b"): -1.0,
        ("a", "c"): 1.0,
        ("b", "c"): -1.0,
    }
    assert all(cosine.error == pytest.approx(0.01) for cosine in found.values()), "no noise: the sketch's error alone"


@pytest.mark.parametrize("noise", [1.0, 10.0])
def test_unrelated_domains_are_seldom_accused(noise) -> None:
    """Where gradients have nothing to do with each other, a cosine below two errors is rare."""
    generator = torch.Generator().manual_seed(0)
    accused = 0
    for _ in range(400):
        one, other = torch.zeros(300), torch.zeros(300)
        one[0] = other[1] = 10.0
        parts = {"a": noisy(one, noise, generator), "b": noisy(other, noise, generator)}
        (cosine,) = cosines(parts, 0.0).values()
        accused += cosine.value < -2.0 * cosine.error
    assert accused / 400 < 0.08


def test_the_error_is_that_of_repeated_probes() -> None:
    generator = torch.Generator().manual_seed(0)
    one = torch.randn(300, generator=generator)
    other = -one + torch.randn(300, generator=generator)
    found = [
        next(iter(cosines({"a": noisy(one, 1.0, generator), "b": noisy(other, 1.0, generator)}, 0.0).values()))
        for _ in range(300)
    ]
    spread = float(torch.tensor([cosine.value for cosine in found]).std())
    error = float(torch.tensor([cosine.error for cosine in found]).square().mean().sqrt())
    assert error == pytest.approx(spread, rel=0.35)


def test_a_domain_without_parts_or_gradient_is_left_out() -> None:
    parts = {"one part": torch.ones(1, 5), "nothing": torch.zeros(4, 5), "a": torch.ones(2, 5), "b": torch.ones(2, 5)}
    assert list(cosines(parts, 0.0)) == [("a", "b")]
