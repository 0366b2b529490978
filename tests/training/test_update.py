"""One step's gradient: the same for every split, and untouched by rollouts that take no part."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch

from rlpt.algorithms import advantages, aggregation, correction, kl, losses
from rlpt.policy.packing import PackedBatch
from rlpt.records import Verdict
from rlpt.training.before import Before, move_reference
from rlpt.training.update import Updater
from tests.training.stepping import GROUPS, GRPO, gradient, group, network, step, weighed

CPU = torch.device("cpu")


@pytest.mark.parametrize("budget", [1, 7, 20])
@pytest.mark.parametrize("rule", [aggregation.token_mean, aggregation.sequence_mean])
def test_gradient_does_not_depend_on_micro_batches(budget, rule):
    recipe = replace(GRPO, aggregation=rule)
    (whole,), (metrics,) = gradient(GROUPS, recipe)
    (split,), (other,) = gradient(GROUPS, recipe, budget)
    assert torch.allclose(whole, split, atol=1e-6)
    assert metrics["rl/loss"] == pytest.approx(other["rl/loss"], abs=1e-6)


def test_gradient_does_not_depend_on_order():
    (straight,), _ = gradient(GROUPS)
    (reversed_,), _ = gradient(GROUPS[::-1])
    assert torch.allclose(straight, reversed_, atol=1e-6)


def test_gradient_is_that_of_the_written_out_loss():
    """The policy gradient of GRPO with one update, from its definition, in float64 loops."""
    policy = network()
    total = sum(len(rollout.token_ids) for one in GROUPS for rollout in one.rollouts)
    loss = torch.zeros(())
    for one in GROUPS:
        rewards = torch.tensor([verdict.reward for verdict in one.verdicts], dtype=torch.float64)
        values = (rewards - rewards.mean()) / (rewards.std() + 1e-6)
        for rollout, advantage in zip(one.rollouts, values.tolist(), strict=True):
            ids = torch.tensor([*rollout.prompt_ids, *rollout.token_ids])
            logprobs = policy.model(input_ids=ids[None]).logits[0].log_softmax(-1)
            for k, token in enumerate(rollout.token_ids):
                value = logprobs[len(rollout.prompt_ids) + k - 1, token]
                weight = min(float(torch.exp(value.detach() - rollout.logprobs[k])), 2.0)
                loss = loss - value * advantage * weight / total
    loss.backward()
    written_out = torch.cat([parameter.grad.flatten() for parameter in policy.parameters()])
    (packed,), _ = gradient(GROUPS)
    assert torch.allclose(written_out, packed, atol=1e-6)


def test_gradient_with_a_tools_tokens_is_that_of_the_written_out_loss():
    """What a tool wrote is seen by what follows, and neither trained on nor counted."""
    masks = [[[1, 0, 0, 1], [1], [1, 1]], [[1, 1], [1, 0, 1, 0, 1], [1]], [[1], [1, 1], [1]]]
    groups = [
        replace(
            one, rollouts=[replace(rollout, action_mask=own) for rollout, own in zip(one.rollouts, of, strict=True)]
        )
        for one, of in zip(GROUPS, masks, strict=True)
    ]
    policy = network()
    total = sum(sum(own) for of in masks for own in of)
    loss = torch.zeros(())
    for one in groups:
        rewards = torch.tensor([verdict.reward for verdict in one.verdicts], dtype=torch.float64)
        values = (rewards - rewards.mean()) / (rewards.std() + 1e-6)
        for rollout, advantage in zip(one.rollouts, values.tolist(), strict=True):
            ids = [*rollout.prompt_ids]
            for token, own, engine in zip(rollout.token_ids, rollout.action_mask, rollout.logprobs, strict=True):
                if own:
                    value = policy.model(input_ids=torch.tensor([ids])).logits[0, -1].log_softmax(-1)[token]
                    weight = min(float(torch.exp(value.detach() - engine)), 2.0)
                    loss = loss - value * advantage * weight / total
                ids.append(token)
    loss.backward()
    written_out = torch.cat([parameter.grad.flatten() for parameter in policy.parameters()])
    for budget in (1, 9, 1000):
        (packed,), (metrics,) = gradient(groups, budget=budget)
        assert torch.allclose(written_out, packed, atol=1e-6)
    assert metrics["perf/action_token_share"] == pytest.approx(total / metrics["perf/trained_tokens"])
    (other,), _ = gradient(GROUPS)
    assert not torch.allclose(written_out, other, atol=1e-3)


def test_dropped_and_unscored_rollouts_change_nothing():
    equal = group("equal", [30], [[31, 32], [33], [34]], [1.0, 1.0, 1.0])
    unscored = replace(
        GROUPS[0],
        rollouts=[*GROUPS[0].rollouts, replace(GROUPS[0].rollouts[0], token_ids=[9, 9, 9, 9], index=3)],
        verdicts=[*GROUPS[0].verdicts, Verdict(None, "infra_error")],
    )
    recipe = replace(GRPO, filters=replace(GRPO.filters, equal_groups="drop"))
    (plain,), _ = gradient(GROUPS, recipe)
    (with_them,), _ = gradient([unscored, *GROUPS[1:], equal], recipe)
    assert torch.allclose(plain, with_them, atol=1e-6)


def test_an_empty_completion_moves_no_baseline():
    empty = group("e", [1], [[2, 3], []], [100.0, 1.0])
    (values,) = weighed([empty]).by_group([empty])
    assert values == [0.0, 0.0]
    assert weighed([empty]).weights.tolist()[1] == 0.0


def test_truncated_completions_leave_numerator_and_denominator():
    recipe = replace(GRPO, filters=replace(GRPO.filters, mask_truncated=True))
    cut = group("cut", [1, 2], [[5] * 9, [6] * 9], [1.0, 0.0], finish="length")
    (plain,), _ = gradient(GROUPS, recipe)
    (with_cut,), _ = gradient([*GROUPS, cut], recipe)
    assert torch.allclose(plain, with_cut, atol=1e-6)
    assert gradient([cut], recipe) == ([], []), "a step where everything is masked is skipped"


def test_no_signal_means_no_update_but_a_kl_term_still_flows():
    equal = [group("equal", [1], [[2, 3], [4]], [1.0, 1.0])]
    assert gradient(equal) == ([], [])
    reference = network().requires_grad_(False)
    policy = network()
    with torch.no_grad():
        next(iter(policy.parameters())).mul_(1.5)
    (pulled,), (metrics,) = gradient(
        equal, replace(GRPO, kl=replace(GRPO.kl, coefficient=0.1)), policy=policy, reference=reference
    )
    assert pulled.abs().sum() > 0
    assert metrics["rl/kl"] > 0


def test_ratio_is_one_at_the_first_update_also_at_another_temperature():
    policy = network(temperature=0.6)
    groups = []
    for one in GROUPS:
        rollouts = []
        for rollout in one.rollouts:
            ids = torch.tensor([*rollout.prompt_ids, *rollout.token_ids])
            logprobs = (policy.model(input_ids=ids[None]).logits[0] / 0.6).log_softmax(-1)
            start = len(rollout.prompt_ids)
            own = [logprobs[start + k - 1, token].item() for k, token in enumerate(rollout.token_ids)]
            rollouts.append(replace(rollout, logprobs=own))
        groups.append(replace(one, rollouts=rollouts))
    _, (metrics,) = gradient(groups, policy=policy)
    assert metrics["mismatch/max"] < 1e-5
    assert metrics["rl/correction"] == pytest.approx(1.0, abs=1e-5)


def test_several_updates_share_the_step_and_compare_with_its_first_policy():
    clipped = []
    for policy, totals in step(GROUPS, replace(GRPO, updates_per_step=2)):
        clipped.append(totals.metrics()["rl/clipped"])
        with torch.no_grad():
            for parameter in policy.parameters():
                parameter -= 2.0 * parameter.grad
    assert len(clipped) == 2
    assert clipped[0] == 0.0
    assert clipped[1] > 0.0, "the first update has moved the policy beyond the clip range"


@pytest.mark.parametrize("stride", [2, 3])
def test_each_update_has_groups_of_every_domain_and_rank(stride):
    """Domains and ranks take turns from group to group."""
    groups = [group(str(number), [1, 2], [[3], [4]], [1.0, 0.0]) for number in range(4 * stride)]
    update = weighed(groups, replace(GRPO, updates_per_step=2)).update[::2].tolist()
    for turn in range(stride):
        assert set(update[turn::stride]) == {0, 1}


def moved(seed=1):
    return network(seed=seed).requires_grad_(False)


def test_the_entropy_bonus_flows_without_any_reward():
    """Its gradient is that of the mean entropy of the distributions that tokens were drawn from."""
    equal = [group("equal", [1, 2], [[2, 3], [4]], [1.0, 1.0])]
    policy = network()
    entropies = []
    for rollout in equal[0].rollouts:
        ids = torch.tensor([*rollout.prompt_ids, *rollout.token_ids])
        logs = policy.model(input_ids=ids[None]).logits[0, 1:-1].log_softmax(-1)
        entropies.append(-(logs.exp() * logs).sum(-1))
    (-0.3 * torch.cat(entropies).mean()).backward()
    written_out = torch.cat([parameter.grad.flatten() for parameter in policy.parameters()])
    (found,), (metrics,) = gradient(equal, replace(GRPO, entropy_coefficient=0.3))
    assert torch.allclose(found, written_out, atol=1e-6)
    assert metrics["rl/loss"] == pytest.approx(-0.3 * metrics["rl/entropy"], abs=1e-6)


def test_ratios_against_the_engine_need_no_second_forward_pass():
    recipe = replace(GRPO, old_logprobs="engine", updates_per_step=2, correction=correction.none)
    (first, _), (metrics, _) = gradient(GROUPS, recipe)
    assert not torch.allclose(first, gradient(GROUPS, replace(GRPO, updates_per_step=2))[0][0], atol=1e-3)
    assert metrics["mismatch/mean"] > 0.0
    ratios = []

    def spy(new, old, advantages, sequences):
        ratios.append((new - old).detach())
        return losses.clipped_ratio(new, old, advantages, sequences)

    policy = network()
    gradient(GROUPS, replace(recipe, loss=spy), policy=policy)
    assert ratios[0].abs().max() > 0.1, "the engine's values are -3 everywhere"


@pytest.mark.parametrize("placement", ["reward", "reward_to_go"])
@pytest.mark.parametrize("budget", [1, 1000])
def test_kl_in_the_reward_pulls_towards_the_reference(placement, budget):
    term = replace(GRPO.kl, coefficient=0.2, placement=placement, estimator=kl.k1)
    recipe = replace(GRPO, advantage=advantages.group_centered, kl=term, loss=losses.reinforce)
    (with_kl,), (metrics,) = gradient(GROUPS, recipe, budget, reference=moved())
    (without,), _ = gradient(GROUPS, replace(recipe, kl=replace(term, coefficient=0.0)))
    assert not torch.allclose(with_kl, without, atol=1e-3)
    assert metrics["rl/kl"] != 0.0
    (same,), _ = gradient(GROUPS, recipe, budget, reference=network().requires_grad_(False))
    assert torch.allclose(same, without, atol=1e-6), "a reference that is the policy takes nothing"


def test_a_reference_moves_towards_the_policy():
    reference, policy = moved(), network()
    begin = [parameter.clone() for parameter in reference.parameters()]
    move_reference(reference, policy, 0.25, torch.device("cpu"))
    for old, new, now in zip(begin, policy.parameters(), reference.parameters(), strict=True):
        assert torch.allclose(now, 0.25 * new + 0.75 * old)
        assert not now.requires_grad
    move_reference(reference, policy, 1.0, torch.device("cpu"))
    (_,), (metrics,) = gradient(GROUPS, replace(GRPO, kl=replace(GRPO.kl, coefficient=0.1)), reference=reference)
    assert metrics["rl/kl"] == pytest.approx(0.0, abs=1e-9)


def test_learning_rate_zero_leaves_the_difference_to_the_engine_as_it_is():
    """Two updates on an unmoved policy, and a second step, see the same differences."""
    recipe = replace(GRPO, updates_per_step=1)
    first, second = (gradient(GROUPS, recipe)[1][0] for _ in range(2))
    assert first["mismatch/max"] == second["mismatch/max"]
    for totals in gradient(GROUPS, replace(recipe, updates_per_step=3))[1]:
        assert totals["rl/clipped"] == 0.0
        assert totals["rl/correction"] <= 2.0


def test_a_rank_without_micro_batches_takes_part():
    """An idle micro-batch goes through every loss and gives no gradient."""
    policy = network()
    for loss in (losses.clipped_ratio, losses.sequence_ratio, losses.clipped_weight, losses.dual_clipped_ratio):
        updater = Updater(policy, replace(GRPO, loss=loss), lambda loss: loss.backward(), CPU, 0)
        (totals,) = updater.gradients([[PackedBatch.idle()]], weighed(GROUPS), Before())
        assert totals.tokens == 0
        assert all(parameter.grad is None or not parameter.grad.any() for parameter in policy.parameters())
