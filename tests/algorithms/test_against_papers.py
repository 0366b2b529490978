"""Values and gradients of every formula equal those of the papers' formulas written out, in float64."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest
import torch
from torch import Tensor

from rlpt.algorithms import advantages, correction, kl, losses, normalization, penalties
from rlpt.algorithms.critic import gae, value_loss
from rlpt.algorithms.sequences import sequence_mean, sequence_sum, to_go, token_index
from tests.algorithms import by_hand

LENGTHS = [3, 1, 7, 2]
SEQUENCES = torch.arange(len(LENGTHS)).repeat_interleave(torch.tensor(LENGTHS))


def numbers(seed: int, scale: float = 1.0) -> by_hand.Numbers:
    source = random.Random(seed)
    return [[source.gauss(0.0, scale) for _ in range(length)] for length in LENGTHS]


def flat(values: by_hand.Numbers) -> Tensor:
    return torch.tensor([value for own in values for value in own], dtype=torch.float64)


def scalars(values: by_hand.Numbers) -> by_hand.Tokens:
    return [[torch.tensor(value, dtype=torch.float64, requires_grad=True) for value in own] for own in values]


def gradients(tokens: by_hand.Tokens) -> Tensor:
    return torch.stack([torch.zeros(()).double() if t.grad is None else t.grad for own in tokens for t in own])


NEW, OLD, ADVANTAGES = numbers(1), numbers(2), numbers(3)
OF_ROLLOUTS = [0.7, -1.3, -0.4, 2.0]

TOKEN_LOSSES: list[tuple[Callable[..., losses.TokenLoss], Callable[..., by_hand.Tokens], dict[str, float]]] = [
    (losses.clipped_ratio, by_hand.clipped_ratio, {"clip_low": 0.2, "clip_high": 0.28}),
    (losses.dual_clipped_ratio, by_hand.dual_clipped_ratio, {"clip_low": 0.2, "clip_high": 0.2, "bound": 1.5}),
    (losses.clipped_weight, by_hand.cispo, {"clip_low": 0.6, "clip_high": 0.5}),
]


@pytest.mark.parametrize(("ours", "written", "options"), TOKEN_LOSSES, ids=lambda value: getattr(value, "__name__", ""))
def test_token_losses(ours, written, options) -> None:
    new, tokens = flat(NEW).requires_grad_(), scalars(NEW)
    result = ours(new, flat(OLD), flat(ADVANTAGES), SEQUENCES, **options)
    expected = written(tokens, OLD, ADVANTAGES, *options.values())
    weights = flat(numbers(4))
    (result.loss * weights).sum().backward()
    torch.stack([value for own in expected for value in own]).mul(weights).sum().backward()
    assert torch.allclose(result.loss, torch.stack([value for own in expected for value in own]), atol=1e-12)
    assert torch.allclose(new.grad, gradients(tokens), atol=1e-12)
    assert 0 < result.clipped.sum() < len(new), "both sides of the bounds are looked at"


def test_sequence_ratio_under_a_mean_over_rollouts_is_gspo() -> None:
    new, tokens = flat(NEW).requires_grad_(), scalars(NEW)
    of_tokens = [[value] * length for value, length in zip(OF_ROLLOUTS, LENGTHS, strict=True)]
    options = {"clip_low": 0.3, "clip_high": 0.4}
    result = losses.sequence_ratio(new, flat(OLD), flat(of_tokens), SEQUENCES, **options)
    weights = flat([[1 / (len(LENGTHS) * length)] * length for length in LENGTHS])
    loss = (result.loss * weights).sum()
    expected = torch.stack(by_hand.gspo(tokens, OLD, OF_ROLLOUTS, 0.3, 0.4)).mean()
    loss.backward()
    expected.backward()
    assert loss.item() == pytest.approx(expected.item(), abs=1e-12)
    assert torch.allclose(new.grad, gradients(tokens), atol=1e-12)
    assert 0 < result.clipped.sum() < len(new)


GROUPS = [[1.0, 0.0, 0.0, 1.0], [0.5, 0.25, 1.0], [0.0, 1.0]]


@pytest.mark.parametrize(
    ("ours", "written"),
    [
        (advantages.group_normalized, by_hand.grpo),
        (advantages.group_centered, by_hand.dr_grpo),
        (advantages.leave_one_out, by_hand.rloo),
        (advantages.mean_normalized, by_hand.maxrl),
    ],
)
def test_group_baselines(ours, written) -> None:
    rewards = torch.tensor([reward for group in GROUPS for reward in group], dtype=torch.float64)
    groups = torch.tensor([number for number, group in enumerate(GROUPS) for _ in group])
    expected = [value for group in GROUPS for value in written(group)]
    assert ours(rewards, groups, torch.ones_like(groups, dtype=torch.bool)).tolist() == pytest.approx(
        expected, abs=1e-12
    )


@pytest.mark.parametrize("level", ["token", "sequence", "geometric"])
def test_corrections(level) -> None:
    old, engine = numbers(5, 0.5), numbers(6, 0.5)
    ratios = [ratio for own in by_hand.ratios(old, engine, level) for ratio in own]
    truncated = correction.truncated(flat(old), flat(engine), SEQUENCES, level=level, cap=1.1)
    assert truncated.tolist() == pytest.approx([min(ratio, 1.1) for ratio in ratios], abs=1e-12)
    masked = correction.masked(flat(old), flat(engine), SEQUENCES, level=level, low=0.8, high=1.4)
    assert masked.tolist() == pytest.approx([ratio if 0.8 <= ratio <= 1.4 else 0.0 for ratio in ratios], abs=1e-12)
    assert set(truncated.tolist()) != {1.1}
    assert 0.0 in masked.tolist()
    assert masked.sum() > 0


def test_kl_estimators_and_their_gradients() -> None:
    new, reference = flat(numbers(7)).requires_grad_(), flat(numbers(8))
    gap = new.detach() - reference
    for estimator, value, gradient in (
        (kl.k1, gap, torch.ones_like(gap)),
        (kl.k2, gap**2 / 2, gap),
        (kl.k3, (-gap).exp() - 1 + gap, 1 - (-gap).exp()),
    ):
        new.grad = None
        ours = estimator(new, reference)
        ours.sum().backward()
        assert torch.allclose(ours, value, atol=1e-12)
        assert torch.allclose(new.grad, gradient, atol=1e-12)


def test_batch_and_domain_normalization() -> None:
    values, domains = flat(numbers(9, 3.0)), torch.tensor([0, 1, 0])[torch.arange(13) % 3]
    nothing = torch.zeros(2, 3, dtype=torch.float64)
    whole, _ = normalization.batch(values, domains, nothing)
    assert whole.tolist() == pytest.approx(by_hand.whitened(values.tolist()), abs=1e-12)
    parts, _ = normalization.domain(values, domains, nothing)
    for number in (0, 1):
        own = domains == number
        assert parts[own].tolist() == pytest.approx(by_hand.whitened(values[own].tolist()), abs=1e-12)


def test_running_normalization_is_an_average_over_steps() -> None:
    moments, domains = torch.zeros(2, 3, dtype=torch.float64), torch.zeros(13, dtype=torch.long)
    steps = [flat(numbers(10 + number, 2.0)) + number for number in range(3)]
    for values in steps:
        result, moments = normalization.running(values, domains, moments, decay=0.8)
    weights = [0.8 ** (2 - number) for number in range(3)]
    mean = sum(w * float(v.mean()) for w, v in zip(weights, steps, strict=True)) / sum(weights)
    square = sum(w * float((v**2).mean()) for w, v in zip(weights, steps, strict=True)) / sum(weights)
    expected = (steps[-1] - mean) / ((square - mean**2) ** 0.5 + 1e-8)
    assert torch.allclose(result, expected, atol=1e-9)
    assert moments[1].tolist() == [0.0, 0.0, 0.0], "a domain without tokens remembers nothing"


@pytest.mark.parametrize("rule", [normalization.batch, normalization.domain, normalization.running])
def test_equal_values_are_normalized_to_exactly_zero(rule) -> None:
    values = torch.full((7,), 0.1, dtype=torch.float64)
    result, _ = rule(values, torch.zeros(7, dtype=torch.long), torch.zeros(1, 3, dtype=torch.float64))
    assert result.tolist() == [0.0] * 7


@pytest.mark.parametrize("rule", [normalization.none, normalization.batch, normalization.domain, normalization.running])
def test_nothing_to_normalize(rule) -> None:
    result, _ = rule(torch.zeros(0).double(), torch.zeros(0, dtype=torch.long), torch.zeros(1, 3).double())
    assert result.tolist() == []


def test_sums_by_sequence() -> None:
    values = numbers(11)
    sums = [[sum(own)] * len(own) for own in values]
    assert torch.allclose(sequence_sum(flat(values), SEQUENCES), flat(sums))
    means = [[sum(own) / len(own)] * len(own) for own in values]
    assert torch.allclose(sequence_mean(flat(values), SEQUENCES), flat(means))
    assert torch.allclose(to_go(flat(values), SEQUENCES), flat(by_hand.penalties_to_go(values)))


def test_places_of_tokens_whatever_part_of_the_step_and_order_a_micro_batch_holds() -> None:
    offsets = torch.tensor([0, 3, 4, 11, 13])
    assert token_index(SEQUENCES, offsets).tolist() == list(range(13))
    assert token_index(torch.tensor([3, 3, 0, 0, 0]), offsets).tolist() == [11, 12, 0, 1, 2]
    assert token_index(torch.zeros(0, dtype=torch.long), offsets).tolist() == []


def test_soft_overlong_penalty() -> None:
    lengths = [0, 50, 79, 80, 81, 90, 100]
    ours = penalties.soft_overlong(torch.tensor(lengths), torch.full((7,), 100), buffer=0.2)
    assert ours.tolist() == pytest.approx([by_hand.overlong(length, 100, 20) for length in lengths], abs=1e-12)


@pytest.mark.parametrize(("gamma", "lam"), [(1.0, 0.95), (0.9, 0.5), (1.0, 1.0), (0.99, 0.0)])
def test_gae(gamma, lam) -> None:
    rewards, values = numbers(12), numbers(13)
    expected = [by_hand.gae(r, v, gamma, lam) for r, v in zip(rewards, values, strict=True)]
    ours = gae(flat(rewards), flat(values), SEQUENCES, gamma=gamma, lam=lam)
    assert torch.allclose(ours, flat(expected), atol=1e-12)


def test_gae_passes_over_rollouts_without_tokens() -> None:
    values = flat(numbers(13))
    there = gae(values, values, SEQUENCES)
    assert torch.equal(gae(values, values, SEQUENCES * 2), there)
    nothing = torch.zeros(0)
    assert gae(nothing, nothing, torch.zeros(0, dtype=torch.long)).tolist() == []


def test_value_loss() -> None:
    new, old, returns = flat(numbers(14)).requires_grad_(), flat(numbers(15)), flat(numbers(16))
    expected = [
        max((v - r) ** 2, (min(max(v, o - 0.2), o + 0.2) - r) ** 2) / 2
        for v, o, r in zip(new.tolist(), old.tolist(), returns.tolist(), strict=True)
    ]
    assert value_loss(new, old, returns, clip=0.2).tolist() == pytest.approx(expected, abs=1e-12)
    assert torch.allclose(value_loss(new, new.detach(), returns, clip=0.2), (new - returns) ** 2 / 2)
