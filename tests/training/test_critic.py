"""The critic learns what a step's returns were, whatever its micro-batches."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import pytest
import torch

from rlpt.algorithms.critic import gae
from rlpt.training.before import look_before
from rlpt.training.critic import CriticUpdater
from rlpt.training.micro_batches import micro_batches, own_rollouts
from rlpt.training.scores import score
from rlpt.training.weigh import no_moments, weigh
from tests.training.stepping import GROUPS, GRPO, LIMITS, network, value_network
from tests.training.test_recipe import state_values

CPU = torch.device("cpu")
PPO = replace(GRPO, advantage=partial(gae, lam=0.9), group_baseline=False, value_clip=0.2)


@pytest.mark.parametrize("budget", [1, 9, 1000])
def test_its_gradient_is_that_of_the_mean_squared_error_written_out(budget) -> None:
    critic = value_network()
    scores = score(GROUPS, PPO, LIMITS, version=0)
    rollouts = own_rollouts(GROUPS, scores.valid, scores.update)
    batches = micro_batches(rollouts, scores.valid, budget)
    before = look_before(batches, network(), None, critic, PPO, scores.offsets, CPU)
    weighed = weigh(scores, PPO, no_moments(1), before.kl, before.values)
    updater = CriticUpdater(critic, 0.2, lambda loss: loss.backward(), CPU)
    (measured,) = updater.gradients([batches], weighed, before.values)

    other, errors = value_network(), []
    for own in GROUPS:
        for rollout, verdict in zip(own.rollouts, own.verdicts, strict=True):
            values = state_values(other, rollout)
            advantage, expected = 0.0, values.tolist()
            for place in range(len(expected) - 1, -1, -1):
                later = expected[place + 1] if place + 1 < len(expected) else 0.0
                reward = verdict.reward if place + 1 == len(expected) else 0.0
                advantage = reward + later - expected[place] + 0.9 * advantage
                errors.append((values[place] - (advantage + expected[place])) ** 2 / 2)
    loss = torch.stack(errors).mean()
    loss.backward()
    assert measured["rl/value_loss"] == pytest.approx(loss.item(), abs=1e-6)
    for ours, theirs in zip(critic.parameters(), other.parameters(), strict=True):
        assert torch.allclose(ours.grad, theirs.grad, atol=1e-6)


def test_it_starts_at_zero_and_keeps_no_output_layer() -> None:
    from rlpt.policy.value import ValueNetwork

    critic = ValueNetwork(network())
    scores = score(GROUPS, PPO, LIMITS, version=0)
    (batch,) = micro_batches(own_rollouts(GROUPS, scores.valid, scores.update), scores.valid, 1000)
    assert critic(batch).tolist() == [0.0] * len(batch.targets)
    assert not [name for name, _ in critic.named_parameters() if "lm_head" in name]
