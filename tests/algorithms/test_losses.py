"""Losses, KL, correction and aggregation against plain formulas, and at the edges where naive ones overflow."""

import math

import pytest
import torch

from rlpt.algorithms.aggregation import fixed_length, sequence_mean, token_mean
from rlpt.algorithms.correction import masked, none, truncated
from rlpt.algorithms.kl import k1, k2, k3
from rlpt.algorithms.losses import clipped_ratio, reinforce


def tensor(*values):
    return torch.tensor(values, dtype=torch.float64)


@pytest.mark.parametrize(
    ("ratio", "advantage", "expected", "gradient_flows"),
    [
        (1.0, 2.0, -2.0, True),
        (1.5, 1.0, -1.2, False),
        (0.5, 1.0, -0.5, True),
        (0.5, -1.0, 0.8, False),
        (1.5, -1.0, 1.5, True),
    ],
)
def test_clipped_ratio(ratio, advantage, expected, gradient_flows):
    old = tensor(-1.0)
    new = (old + math.log(ratio)).requires_grad_()
    result = clipped_ratio(new, old, tensor(advantage))
    result.loss.sum().backward()
    assert result.loss.item() == pytest.approx(expected)
    assert bool(new.grad.abs().sum() > 0) == gradient_flows
    assert bool(result.clipped.item()) != gradient_flows


def test_at_ratio_one_the_gradient_is_the_policy_gradient():
    old = tensor(-1.0, -2.0)
    advantages = tensor(0.7, -1.3)
    gradients = []
    for loss in (clipped_ratio, reinforce):
        new = old.clone().requires_grad_()
        loss(new, old, advantages).loss.sum().backward()
        gradients.append(new.grad.tolist())
    assert gradients[0] == pytest.approx(gradients[1])


@pytest.mark.parametrize("apart", [100.0, -100.0, 1e4])
@pytest.mark.parametrize("estimator", [k2, k3])
def test_kl_is_finite_far_apart(apart, estimator):
    new = tensor(-1.0).requires_grad_()
    value = estimator(new, tensor(-1.0 - apart))
    value.sum().backward()
    assert torch.isfinite(value).all()
    assert torch.isfinite(new.grad).all()


@pytest.mark.parametrize("apart", [100.0, -100.0])
@pytest.mark.parametrize("advantage", [1.0, -1.0])
def test_loss_is_finite_far_apart(apart, advantage):
    new = torch.tensor([apart], requires_grad=True)
    loss = clipped_ratio(new, torch.zeros(1), torch.tensor([advantage])).loss * truncated(torch.zeros(1), -new.detach())
    loss.sum().backward()
    assert torch.isfinite(loss).all()
    assert torch.isfinite(new.grad).all()


def test_kl_estimators():
    new, reference = tensor(-1.0), tensor(-1.5)
    assert k1(new, reference).item() == pytest.approx(0.5)
    assert k2(new, reference).item() == pytest.approx(0.125)
    assert k3(new, reference).item() == pytest.approx(math.exp(-0.5) - 1 + 0.5)
    assert k3(new, new).item() == 0.0


def test_correction():
    old, engine = tensor(-1.0, -1.0, -1.0), tensor(-1.0, -3.0, -0.5)
    assert truncated(old, engine, cap=2.0).tolist() == pytest.approx([1.0, 2.0, math.exp(-0.5)])
    assert masked(old, engine, cap=2.0).tolist() == pytest.approx([1.0, 0.0, math.exp(-0.5)])
    assert none(old, engine).tolist() == [1.0, 1.0, 1.0]


def test_aggregation():
    lengths = torch.tensor([2, 0, 6])
    assert token_mean(lengths).tolist() == pytest.approx([1 / 8, 0.0, 1 / 8])
    assert sequence_mean(lengths).tolist() == pytest.approx([1 / 4, 0.0, 1 / 12])
    assert fixed_length(lengths, tokens=10).tolist() == pytest.approx([1 / 20, 0.0, 1 / 20])


@pytest.mark.parametrize("rule", [token_mean, sequence_mean, lambda lengths: fixed_length(lengths, tokens=4)])
def test_nothing_to_aggregate_is_no_division_by_zero(rule):
    assert rule(torch.tensor([0, 0])).tolist() == [0.0, 0.0]
