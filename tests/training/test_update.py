"""One step's gradient: the same for every split, and untouched by rollouts that take no part."""

from dataclasses import replace
from functools import partial

import pytest
import torch
from transformers import LlamaConfig, LlamaForCausalLM

from rlpt.algorithms import advantages, aggregation, correction, kl, losses
from rlpt.policy.network import PolicyNetwork
from rlpt.records import Group, Rollout, Task, Verdict
from rlpt.training.recipe import Recipe
from rlpt.training.update import Updater
from rlpt.training.weigh import weigh

GRPO = Recipe(
    advantage=advantages.group_normalized,
    loss=losses.clipped_ratio,
    aggregation=aggregation.token_mean,
    kl_coefficient=0.0,
    kl_estimator=kl.k3,
    correction=partial(correction.truncated, cap=2.0),
    group_size=3,
    updates_per_step=1,
    mask_truncated=False,
    drop_equal_groups=True,
)


def network(temperature=1.0):
    torch.manual_seed(0)
    config = LlamaConfig(
        vocab_size=40,
        hidden_size=16,
        intermediate_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        num_key_value_heads=1,
        initializer_range=0.3,
    )
    return PolicyNetwork(LlamaForCausalLM(config), "float32", temperature)


def group(name, prompt, answers, rewards, finish="stop"):
    task = Task("d", name, [], {})
    rollouts = [
        Rollout(name, name, i, prompt, a, [-3.0] * len(a), [1] * len(a), [0] * len(a), finish, "")
        for i, a in enumerate(answers)
    ]
    return Group(name, task, rollouts, [Verdict(r, "correct" if r else "wrong") for r in rewards])


GROUPS = [
    group("a", [1, 2, 3], [[4, 5, 6, 7], [8], [9, 10]], [1.0, 0.0, 0.0]),
    group("b", [11, 12], [[13, 14], [15, 16, 17, 18, 19], [20]], [0.0, 1.0, 1.0]),
    group("same prompt as b", [11, 12], [[21], [22, 23], [24]], [1.0, 0.0, 0.5]),
]


def gradient(groups, recipe=GRPO, budget=1000, policy=None, reference=None):
    policy = policy or network()
    numbered, number = [], 0
    for one in groups:
        numbered.append([(number + index, rollout) for index, rollout in enumerate(one.rollouts)])
        number += len(one.rollouts)
    updater = Updater(policy, reference, recipe, budget, lambda loss: loss.backward(), torch.device("cpu"))
    parts, metrics = [], []
    for totals in updater.gradients(numbered, weigh(groups, recipe)):
        parts.append(torch.cat([parameter.grad.flatten() for parameter in policy.parameters()]))
        metrics.append(totals.metrics())
        policy.zero_grad()
    return parts, metrics


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


def test_equal_and_unscored_rollouts_change_nothing():
    equal = group("equal", [30], [[31, 32], [33], [34]], [1.0, 1.0, 1.0])
    unscored = replace(
        GROUPS[0],
        rollouts=[*GROUPS[0].rollouts, replace(GROUPS[0].rollouts[0], token_ids=[9, 9, 9, 9], index=3)],
        verdicts=[*GROUPS[0].verdicts, Verdict(None, "infra_error")],
    )
    (plain,), _ = gradient(GROUPS)
    (with_them,), _ = gradient([unscored, *GROUPS[1:], equal])
    assert torch.allclose(plain, with_them, atol=1e-6)


def test_an_empty_completion_moves_no_baseline():
    empty = group("e", [1], [[2, 3], []], [100.0, 1.0])
    weighed = weigh([empty], GRPO)
    assert weighed.advantages.tolist() == [0.0, 0.0]
    assert weighed.weights.tolist()[1] == 0.0


def test_truncated_completions_leave_numerator_and_denominator():
    recipe = replace(GRPO, mask_truncated=True)
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
    (pulled,), (metrics,) = gradient(equal, replace(GRPO, kl_coefficient=0.1), policy=policy, reference=reference)
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
    recipe, policy = replace(GRPO, updates_per_step=2), network()
    numbered, number = [], 0
    for one in GROUPS:
        numbered.append([(number + index, rollout) for index, rollout in enumerate(one.rollouts)])
        number += len(one.rollouts)
    updater = Updater(policy, None, recipe, 1000, lambda loss: loss.backward(), torch.device("cpu"))
    clipped = []
    for totals in updater.gradients(numbered, weigh(GROUPS, recipe)):
        clipped.append(totals.metrics()["rl/clipped"])
        with torch.no_grad():
            for parameter in policy.parameters():
                parameter -= 2.0 * parameter.grad
        policy.zero_grad()
    assert len(clipped) == 2
    assert clipped[0] == 0.0
    assert clipped[1] > 0.0, "the first update has moved the policy beyond the clip range"


@pytest.mark.parametrize("stride", [2, 3])
def test_each_update_has_groups_of_every_domain_and_rank(stride):
    """Domains and ranks take turns from group to group."""
    groups = [group(str(number), [1, 2], [[3], [4]], [1.0, 0.0]) for number in range(4 * stride)]
    update = weigh(groups, replace(GRPO, updates_per_step=2)).update[::2].tolist()
    for turn in range(stride):
        assert set(update[turn::stride]) == {0, 1}
