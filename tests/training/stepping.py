"""A small policy, a few groups, and one step's gradients: what the tests of the update share."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

import torch
from torch import Tensor
from transformers import LlamaConfig, LlamaForCausalLM

from rlpt.algorithms import advantages, aggregation, correction, kl, losses, normalization
from rlpt.policy.network import PolicyNetwork
from rlpt.policy.value import ValueNetwork
from rlpt.records import Group, Rollout, Task, Verdict
from rlpt.training.before import look_before
from rlpt.training.micro_batches import micro_batches, own_rollouts
from rlpt.training.recipe import Filters, KLTerm, Recipe
from rlpt.training.scores import score
from rlpt.training.update import Totals, Updater
from rlpt.training.weigh import Weighed, no_moments, weigh

LIMITS = {"d": 10}

GRPO = Recipe(
    advantage=advantages.group_normalized,
    normalization=normalization.none,
    loss=losses.clipped_ratio,
    aggregation=aggregation.token_mean,
    kl=KLTerm(0.0, kl.k3, "loss", 0, 1.0),
    correction=partial(correction.truncated, cap=2.0),
    filters=Filters("keep", 10, False, None, 0.0, 0.2),
    group_size=3,
    group_baseline=True,
    updates_per_step=1,
    old_logprobs="recomputed",
    entropy_coefficient=0.0,
)


def network(temperature: float = 1.0, seed: int = 0) -> PolicyNetwork:
    torch.manual_seed(seed)
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


def value_network() -> ValueNetwork:
    """A critic that has learned something."""
    critic = ValueNetwork(network(seed=2))
    torch.nn.init.normal_(critic.head.weight, std=0.2)
    torch.nn.init.constant_(critic.head.bias, 0.3)
    return critic


def group(
    name: str, prompt: list[int], answers: list[list[int]], rewards: Sequence[float | None], finish: str = "stop"
) -> Group:
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


def weighed(groups: list[Group], recipe: Recipe = GRPO, version: int = 0) -> Weighed:
    return weigh(score(groups, recipe, LIMITS, version), recipe, no_moments(1))


def step(
    groups: list[Group],
    recipe: Recipe = GRPO,
    budget: int = 1000,
    policy: PolicyNetwork | None = None,
    reference: PolicyNetwork | None = None,
    critic: ValueNetwork | None = None,
) -> Iterator[tuple[PolicyNetwork, Totals]]:
    """Every update of one step, its gradient on the policy; it is cleared afterwards."""
    policy = policy or network()
    device = torch.device("cpu")
    scores = score(groups, recipe, LIMITS, version=0)
    rollouts = own_rollouts(groups, scores.valid, scores.update)
    batches = micro_batches(rollouts, scores.valid, budget)
    before = look_before(batches, policy, reference, critic, recipe, scores.offsets, device)
    result = weigh(scores, recipe, no_moments(1), before.kl, before.values)
    updates = [
        micro_batches(rollouts, result.contributes & (result.update == update), budget)
        for update in range(recipe.updates_per_step)
    ]
    for totals in Updater(policy, recipe, lambda loss: loss.backward(), device, 0).gradients(updates, result, before):
        yield policy, totals
        policy.zero_grad()


def flat_gradient(policy: PolicyNetwork) -> Tensor:
    return torch.cat([parameter.grad.flatten() for parameter in policy.parameters()])


def gradient(
    groups: list[Group],
    recipe: Recipe = GRPO,
    budget: int = 1000,
    policy: PolicyNetwork | None = None,
    reference: PolicyNetwork | None = None,
    critic: ValueNetwork | None = None,
) -> tuple[list[Tensor], list[dict[str, float]]]:
    """The gradient and the metrics of every update of one step; the policy is not moved."""
    parts, metrics = [], []
    for moved, totals in step(groups, recipe, budget, policy, reference, critic):
        parts.append(flat_gradient(moved))
        metrics.append(totals.metrics())
    return parts, metrics
