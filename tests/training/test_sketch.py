"""Sketches keep scalar products, and those of parts add up to that of the whole."""

from __future__ import annotations

import math

import pytest
import torch

from rlpt.training.sketch import WIDTH, Sketch, sketch
from tests.training.stepping import GROUPS, flat_gradient, network, step


def cosine(left: torch.Tensor, right: torch.Tensor) -> float:
    return float(left.double() @ right.double() / (left.double().norm() * right.double().norm()))


@pytest.mark.parametrize("share", [-0.9, 0.0])
def test_cosines_are_kept(share):
    """Also where all weight is on a few columns, as in matrices of transformers."""
    generator = torch.Generator().manual_seed(0)
    one, other = torch.randn(2, 500, 1024, generator=generator)
    heavy = torch.ones(1024)
    heavy[::128] = 100.0
    left = (one * heavy).flatten()
    right = ((share * one + math.sqrt(1 - share**2) * other) * heavy).flatten()
    sketched = cosine(sketch(left, 0), sketch(right, 0))
    assert sketched == pytest.approx(cosine(left, right), abs=4 / math.sqrt(WIDTH))
    assert float(sketch(left, 0).norm() / left.norm()) == pytest.approx(1.0, abs=0.05)


@pytest.mark.parametrize("cut", [777, 2_100_000])
def test_parts_add_up_wherever_they_are_cut(cut):
    values = torch.randn(2_200_000, generator=torch.Generator().manual_seed(1))
    parts = sketch(values[:cut], 42) + sketch(values[cut:], 42 + cut)
    assert torch.allclose(parts, sketch(values, 42), atol=1e-3)
    assert not torch.allclose(sketch(values, 42), sketch(values, 43), atol=1e-1), "a place has a sign of its own"


def test_that_of_a_network_is_that_of_its_flat_gradient():
    for policy, _ in step(GROUPS, policy=network()):
        assert torch.allclose(Sketch(policy).take(), sketch(flat_gradient(policy), 0), atol=1e-6)
