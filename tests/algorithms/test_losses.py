"""Losses, KL, correction and aggregation against plain formulas, and at the edges where naive ones overflow."""

import math

import pytest
import torch

from rlpt.algorithms.aggregation import fixed_length, sequence_mean, token_mean
from rlpt.algorithms.correction import masked, none, truncated
from rlpt.algorithms.kl import k1, k2, k3
from rlpt.algorithms.losses import clipped_ratio, clipped_weight, dual_clipped_ratio, reinforce, sequence_ratio

LOSSES = [clipped_ratio, dual_clipped_ratio, sequence_ratio, clipped_weight, reinforce]
ONE = torch.zeros(1, dtype=torch.long)


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
    result = clipped_ratio(new, old, tensor(advantage), ONE)
    result.loss.sum().backward()
    assert result.loss.item() == pytest.approx(expected)
    assert bool(new.grad.abs().sum() > 0) == gradient_flows
    assert bool(result.clipped.item()) != gradient_flows


@pytest.mark.parametrize("loss", LOSSES)
def test_at_ratio_one_the_gradient_is_the_policy_gradient(loss):
    new = tensor(-1.0, -2.0).requires_grad_()
    advantages, alone = tensor(0.7, -1.3), torch.tensor([0, 1])
    result = loss(new, new.detach(), advantages, alone)
    result.loss.sum().backward()
    assert new.grad.tolist() == pytest.approx((-advantages).tolist())
    assert result.clipped.tolist() == [0.0, 0.0]


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
@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("level", ["token", "sequence", "geometric"])
def test_loss_is_finite_far_apart_and_over_long_rollouts(apart, advantage, loss, level):
    tokens = 8000
    new, old = torch.full((tokens,), apart - 101.0, requires_grad=True), torch.full((tokens,), -101.0)
    sequences = torch.zeros(tokens, dtype=torch.long)
    values = loss(new, old, torch.full((tokens,), advantage), sequences).loss
    weighed = values * truncated(old, -new.detach(), sequences, level=level)
    weighed = weighed + values * masked(old, new.detach(), sequences, level=level)
    weighed.sum().backward()
    assert torch.isfinite(weighed).all()
    assert torch.isfinite(new.grad).all()


@pytest.mark.parametrize("loss", LOSSES)
def test_no_tokens_no_loss(loss):
    nothing = torch.zeros(0, requires_grad=True)
    result = loss(nothing, nothing.detach(), nothing.detach(), torch.zeros(0, dtype=torch.long))
    assert result.loss.sum().item() == 0.0


def test_an_unknown_level_is_an_error():
    with pytest.raises(ValueError, match="geometric"):
        truncated(tensor(-1.0), tensor(-1.0), ONE, level="rollout")


def test_kl_estimators():
    new, reference = tensor(-1.0), tensor(-1.5)
    assert k1(new, reference).item() == pytest.approx(0.5)
    assert k2(new, reference).item() == pytest.approx(0.125)
    assert k3(new, reference).item() == pytest.approx(math.exp(-0.5) - 1 + 0.5)
    assert k3(new, new).item() == 0.0


def test_correction():
    old, engine, alone = tensor(-1.0, -1.0, -1.0), tensor(-1.0, -3.0, -0.5), torch.tensor([0, 1, 2])
    for level in ("token", "sequence", "geometric"):
        assert truncated(old, engine, alone, level=level).tolist() == pytest.approx([1.0, 2.0, math.exp(-0.5)])
        assert masked(old, engine, alone, level=level).tolist() == pytest.approx([1.0, 0.0, math.exp(-0.5)])
    assert none(old, engine, alone).tolist() == [1.0, 1.0, 1.0]


def test_aggregation():
    lengths = torch.tensor([2, 0, 6])
    assert token_mean(lengths).tolist() == pytest.approx([1 / 8, 0.0, 1 / 8])
    assert sequence_mean(lengths).tolist() == pytest.approx([1 / 4, 0.0, 1 / 12])
    assert fixed_length(lengths, tokens=10).tolist() == pytest.approx([1 / 20, 0.0, 1 / 20])


@pytest.mark.parametrize("rule", [token_mean, sequence_mean, lambda lengths: fixed_length(lengths, tokens=4)])
def test_nothing_to_aggregate_is_no_division_by_zero(rule):
    assert rule(torch.tensor([0, 0])).tolist() == [0.0, 0.0]
