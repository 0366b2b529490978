"""Every recipe of `conf/algorithm/`, as it is composed, gives the gradients of its paper's loss in plain loops."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from dataclasses import replace
from functools import cache

import pytest
import torch
from torch import Tensor

from rlpt.config.paths import conf_dir
from rlpt.config.preflight import compose_config
from rlpt.policy.network import PolicyNetwork
from rlpt.policy.value import ValueNetwork
from rlpt.records import Group, Rollout, Verdict
from rlpt.training.recipe import Recipe, build_recipe
from tests.algorithms import by_hand
from tests.training import stepping
from tests.training.stepping import flat_gradient, group, network, step, value_network

RECIPES = sorted(file.stem for file in (conf_dir() / "algorithm").glob("*.yaml"))
LONGEST = 5
GREEDY = [0.0, 1.0, 0.25, 0.5]
"""The reward of each group's rollout without chance."""

PER_ROLLOUT = list[float]
Advantages = list[list[list[float]]]
"""By group, rollout, token."""


def of_engine(group: Group, seed: int) -> Group:
    """The group with log-probabilities of the engine that differ from the trainer's."""
    source = random.Random(seed)
    rollouts = [
        replace(rollout, logprobs=[source.uniform(-6.0, -2.0) for _ in rollout.token_ids]) for rollout in group.rollouts
    ]
    return replace(group, rollouts=rollouts, greedy_verdict=Verdict(GREEDY[seed - 1], "correct"))


GROUPS = [
    of_engine(group("a", [1, 2, 3], [[4, 5, 6, 7], [8], [9, 10]], [1.0, 0.0, 0.0]), 1),
    of_engine(group("b", [11, 12], [[13, 14], [15, 16, 17, 18, 19], [20]], [0.0, 1.0, 1.0]), 2),
    of_engine(group("same prompt as b", [11, 12], [[21], [22, 23], [24]], [1.0, 0.0, 0.5]), 3),
    of_engine(group("equal", [11, 12], [[25], [26, 27], [28]], [1.0, 1.0, 1.0]), 4),
]


def logprobs(policy: PolicyNetwork, rollout: Rollout) -> list[Tensor]:
    """Of a rollout by itself, without packing, in float64 from the logits on."""
    ids = torch.tensor([*rollout.prompt_ids, *rollout.token_ids])
    logits = policy.model(input_ids=ids[None]).logits[0].double().log_softmax(-1)
    start = len(rollout.prompt_ids) - 1
    return [logits[start + place, token] for place, token in enumerate(rollout.token_ids)]


def by_group(policy: PolicyNetwork) -> list[list[list[float]]]:
    with torch.no_grad():
        return [[[float(value) for value in logprobs(policy, one)] for one in own.rollouts] for own in GROUPS]


def rewards() -> list[PER_ROLLOUT]:
    return [[verdict.reward or 0.0 for verdict in own.verdicts] for own in GROUPS]


def spread(values: list[PER_ROLLOUT]) -> Advantages:
    """One advantage a rollout for each of its tokens."""
    return [
        [[value] * len(one.token_ids) for value, one in zip(part, own.rollouts, strict=True)]
        for part, own in zip(values, GROUPS, strict=True)
    ]


def grouped(rule: Callable[[PER_ROLLOUT], PER_ROLLOUT]) -> Advantages:
    return spread([rule(own) if len(set(own)) > 1 else [0.0] * len(own) for own in rewards()])


def dapo_advantages() -> Advantages:
    shaped = [
        [reward - by_hand.overlong(len(one.token_ids), LONGEST, LONGEST / 5) for reward, one in zip(*pair, strict=True)]
        for pair in zip(rewards(), [own.rollouts for own in GROUPS], strict=True)
    ]
    return spread([by_hand.grpo(own) if len(set(own)) > 1 else [0.0] * len(own) for own in shaped])


def whitened(values: Advantages, groups: list[int]) -> Advantages:
    """All tokens of these groups whitened together; those of others stay 0."""
    white = iter(by_hand.whitened([token for place in groups for one in values[place] for token in one]))
    return [[[next(white) if place in groups else 0.0 for _ in one] for one in own] for place, own in enumerate(values)]


def reinforce_pp_advantages(old: Advantages, reference: Advantages) -> Advantages:
    values = spread(rewards())
    for g, own in enumerate(values):
        for i, one in enumerate(own):
            penalty = [0.001 * (o - r) for o, r in zip(old[g][i], reference[g][i], strict=True)]
            own[i] = [value - rest for value, rest in zip(one, by_hand.penalties_to_go([penalty])[0], strict=True)]
    return whitened(values, [0, 1, 2, 3])


def ppo_advantages(old: Advantages, reference: Advantages) -> Advantages:
    critic, values = value_network(), []
    for g, own in enumerate(GROUPS):
        values.append([])
        for i, rollout in enumerate(own.rollouts):
            given = [-0.001 * (o - r) for o, r in zip(old[g][i], reference[g][i], strict=True)]
            given[-1] += rewards()[g][i]
            expected = [float(value.detach()) for value in state_values(critic, rollout)]
            values[-1].append(by_hand.gae(given, expected, 1.0, 0.95))
    return whitened(values, [0, 1, 2, 3])


def state_values(critic: ValueNetwork, rollout: Rollout) -> Tensor:
    """Of the states before a rollout's tokens, by itself, without packing."""
    ids = torch.tensor([*rollout.prompt_ids, *rollout.token_ids])
    hidden = critic.model.model(input_ids=ids[None]).last_hidden_state[0]
    return critic.head(hidden[len(rollout.prompt_ids) - 1 : -1]).squeeze(-1)


def batch_centered() -> Advantages:
    everything = [reward for own in rewards() for reward in own]
    mean = sum(everything) / len(everything)
    return spread([[reward - mean for reward in own] for own in rewards()])


def advantages_of(name: str, old: Advantages, reference: Advantages) -> Advantages:
    return {
        "grpo": lambda: grouped(by_hand.grpo),
        "gspo": lambda: grouped(by_hand.grpo),
        "cispo": lambda: grouped(by_hand.grpo),
        "dr_grpo": lambda: grouped(by_hand.dr_grpo),
        "dapo": dapo_advantages,
        "rloo": lambda: grouped(by_hand.rloo),
        "maxrl": lambda: grouped(by_hand.maxrl),
        "reinforce": batch_centered,
        "remax": lambda: spread([[r - b for r in own] for own, b in zip(rewards(), GREEDY, strict=True)]),
        "ppo": lambda: ppo_advantages(old, reference),
        "reinforce_pp": lambda: reinforce_pp_advantages(old, reference),
        "reinforce_pp_baseline": lambda: whitened(grouped(by_hand.dr_grpo), [0, 1, 2]),
    }[name]()


def written_out(name: str, chosen: list[int], policy: PolicyNetwork, old: Advantages, reference: Advantages) -> Tensor:
    """The loss of one update on some of the groups."""
    advantages = advantages_of(name, old, reference)
    values, lengths = [], []
    for g in chosen:
        for i, rollout in enumerate(GROUPS[g].rollouts):
            new, before, credit = [logprobs(policy, rollout)], [old[g][i]], [advantages[g][i]]
            level = "geometric" if name == "gspo" else "token"
            weights = by_hand.ratios(before, [list(rollout.logprobs)], level)[0]
            if name == "gspo":
                tokens = by_hand.gspo(new, before, [credit[0][0]], 3e-4, 4e-4) * len(rollout.token_ids)
            elif name in ("rloo", "reinforce", "maxrl", "remax"):
                tokens = [-value * a for value, a in zip(new[0], credit[0], strict=True)]
            elif name == "cispo":
                tokens = by_hand.cispo(new, before, credit, 1.0, 4.0)[0]
            else:
                tokens = by_hand.clipped_ratio(new, before, credit, 0.2, 0.28 if name == "dapo" else 0.2)[0]
            tokens = [token * min(weight, 2.0) for token, weight in zip(tokens, weights, strict=True)]
            if name == "reinforce_pp_baseline":
                pairs = zip(tokens, new[0], reference[g][i], strict=True)
                tokens = [token + 0.001 * (value - other) ** 2 / 2 for token, value, other in pairs]
            values.append(torch.stack(tokens).sum())
            lengths.append(len(tokens))
    if name == "gspo":
        return torch.stack([value / length for value, length in zip(values, lengths, strict=True)]).mean()
    return torch.stack(values).sum() / (LONGEST * len(values) if name == "dr_grpo" else sum(lengths))


@cache
def composed(name: str) -> Recipe:
    return build_recipe(compose_config("train", [f"algorithm={name}", "policy=tiny"]).algorithm, LONGEST)


def critic_of(recipe: Recipe) -> ValueNetwork | None:
    return None if recipe.value_clip is None else value_network()


@pytest.mark.parametrize("updates", [1, 4])
@pytest.mark.parametrize("name", RECIPES)
def test_gradients_are_those_of_the_paper(name: str, updates: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(stepping.LIMITS, "d", LONGEST)
    recipe = replace(composed(name), updates_per_step=updates)
    policy, other = network(), network()
    reference = network(seed=1).requires_grad_(False)
    needs = reference if recipe.kl.coefficient else None
    old, referred = by_group(other), by_group(reference)
    groups = [0, 1, 2] if recipe.filters.equal_groups == "resample" else [0, 1, 2, 3]
    teaches = [any(map(any, own)) or recipe.kl.in_loss for own in advantages_of(name, old, referred)]
    seen = 0
    for _, totals in step(GROUPS, recipe, policy=policy, reference=needs, critic=critic_of(recipe)):
        chosen = [g for g in groups if g * updates // 4 == seen]
        other.zero_grad()
        loss = written_out(name, chosen, other, old, referred)
        loss.backward()
        assert torch.allclose(flat_gradient(policy), flat_gradient(other), atol=1e-6)
        assert totals.metrics()["rl/loss"] == pytest.approx(loss.item(), abs=1e-6)
        seen += 1
        for model in (policy, other):
            with torch.no_grad():
                for parameter in model.parameters():
                    parameter -= 0.05 * parameter.grad
    assert seen == (1 if updates == 1 else sum(teaches))


@pytest.mark.parametrize("budget", [1, 9])
@pytest.mark.parametrize("name", RECIPES)
def test_gradients_do_not_depend_on_micro_batches_or_order(name: str, budget: int) -> None:
    recipe = replace(composed(name), updates_per_step=1)
    reference = network(seed=1).requires_grad_(False) if recipe.kl.coefficient else None
    (whole,), (metrics,) = stepping.gradient(GROUPS, recipe, reference=reference, critic=critic_of(recipe))
    (split,), (others,) = stepping.gradient(GROUPS[::-1], recipe, budget, reference=reference, critic=critic_of(recipe))
    assert torch.allclose(whole, split, atol=1e-6)
    assert whole.abs().sum() > 1e-3
    assert others["rl/loss"] == pytest.approx(metrics["rl/loss"], abs=1e-6)


@pytest.mark.parametrize("name", RECIPES)
def test_a_step_without_anything_to_learn_is_skipped_or_finite(name: str) -> None:
    recipe = composed(name)
    reference = network(seed=1).requires_grad_(False) if recipe.kl.coefficient else None
    for value in (0.0, 1.0, 0.1):
        equal = [group(str(number), [1], [[2, 3], [4], [5]], [value] * 3) for number in range(4)]
        for part in stepping.gradient(equal, recipe, reference=reference, critic=critic_of(recipe))[0]:
            assert torch.isfinite(part).all()
            assert reference is not None or part.abs().max() == 0.0
        unscored = [group(str(number), [1], [[2, 3], [4]], [None, None]) for number in range(4)]
        assert stepping.gradient(unscored, recipe, reference=reference, critic=critic_of(recipe))[0] == []


def test_the_recipes_ratio_starts_at_one_and_its_correction_is_bounded() -> None:
    for name in RECIPES:
        recipe = composed(name)
        new = torch.tensor([-1.0, -2.0])
        sequences = torch.tensor([0, 0])
        assert recipe.loss(new, new, torch.ones(2), sequences).clipped.sum() == 0.0
        assert float(recipe.correction(new + 50.0, new, sequences).max()) <= math.exp(20.0)
