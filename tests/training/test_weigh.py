"""From judged groups to advantages and weights: filters, penalties, and KL in the reward."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import pytest
import torch

from rlpt.algorithms import advantages, normalization
from rlpt.algorithms.critic import gae
from rlpt.records import Credit, Group, Verdict
from rlpt.training.recipe import Recipe
from rlpt.training.scores import score
from rlpt.training.weigh import no_moments, weigh
from tests.training.stepping import GROUPS, GRPO, LIMITS, group, weighed

PLAIN = replace(GRPO, advantage=advantages.group_centered)


def filtered(recipe: Recipe = GRPO, **changes: object) -> Recipe:
    return replace(recipe, filters=replace(recipe.filters, **changes))


def values(groups: list[Group], recipe: Recipe, version: int = 0) -> list[list[float]]:
    return weighed(groups, recipe, version).by_group(groups)


def test_rewards_with_one_missing_are_a_group_of_three() -> None:
    with_gap = group("a", [1], [[2], [3], [4], [5]], [1.0, None, 0.0, 1.0])
    alone = group("a", [1], [[2], [4], [5]], [1.0, 0.0, 1.0])
    (found,), (expected,) = values([with_gap], PLAIN), values([alone], PLAIN)
    assert found == pytest.approx([expected[0], 0.0, expected[1], expected[2]])
    assert weighed([with_gap], PLAIN).weights.tolist() == pytest.approx([1 / 3, 0.0, 1 / 3, 1 / 3])


def test_one_reward_for_eight_rollouts_is_an_error() -> None:
    whole = group("a", [1], [[2]] * 8, [1.0] * 8)
    with pytest.raises(ValueError, match="1 verdicts for 8 rollouts"):
        replace(whole, verdicts=[Verdict(1.0, "correct")])


def test_stale_rollouts_take_no_part_and_move_no_baseline() -> None:
    first = GROUPS[0].rollouts[0]
    old = replace(first, versions=[4, 6, 6, 6])
    fresh = [replace(rollout, versions=[6] * len(rollout.token_ids)) for rollout in GROUPS[0].rollouts[1:]]
    mixed = [replace(GROUPS[0], rollouts=[old, *fresh], verdicts=[Verdict(r, "wrong") for r in (1.0, 0.5, 0.0)])]
    assert values(mixed, filtered(PLAIN, max_staleness=2), version=6)[0] == pytest.approx([0.5, 0.0, -0.5])
    assert values(mixed, filtered(PLAIN, max_staleness=1), version=6)[0] == pytest.approx([0.0, 0.25, -0.25])
    assert values(mixed, filtered(PLAIN), version=1000)[0] == pytest.approx([0.5, 0.0, -0.5])


def test_a_tools_tokens_make_no_rollout_stale() -> None:
    one = replace(GROUPS[0].rollouts[0], versions=[0, 6, 6, 6], action_mask=[0, 1, 1, 1])
    alone = [replace(GROUPS[0], rollouts=[one], verdicts=[Verdict(1.0, "correct")])]
    assert score(alone, filtered(max_staleness=0, equal_groups="keep"), LIMITS, version=6).valid.tolist() == [True]


def test_the_overlong_penalty_moves_rewards_and_with_them_what_counts_as_equal() -> None:
    answers = [[5] * 10, [6] * 9, [7] * 8, [8]]
    recipe = filtered(PLAIN, overlong_penalty=2.0, overlong_buffer=0.2, equal_groups="drop")
    rewards = score([group("a", [1], answers, [1.0, 1.0, 0.0, 1.0])], recipe, LIMITS, version=0).rewards
    assert rewards.tolist() == pytest.approx([-1.0, 0.0, 0.0, 1.0])
    differing, alike = group("a", [1], answers, [1.0] * 4), group("b", [1], [[8], [9]], [1.0] * 2)
    assert score([differing, alike], recipe, LIMITS, version=0).valid.tolist() == [True] * 4 + [False] * 2
    kept = values([differing], filtered(recipe, equal_groups="keep"))
    assert kept[0][0] < kept[0][1] < kept[0][2] == kept[0][3]


@pytest.mark.parametrize(
    ("recipe", "computed"),
    [
        (GRPO, False),
        (replace(GRPO, kl=replace(GRPO.kl, coefficient=0.1)), True),
        (replace(GRPO, entropy_coefficient=0.1), True),
        (replace(GRPO, linear=False), True),
        (replace(GRPO, group_baseline=False, advantage=advantages.batch_centered), True),
    ],
)
def test_equal_groups_always_count_and_are_computed_where_they_teach_something(recipe: Recipe, computed: bool) -> None:
    equal = group("equal", [1], [[2], [3], [4]], [0.1] * 3)
    result = weighed([GROUPS[0], equal], recipe)
    assert result.contributes[3:].tolist() == [computed] * 3
    assert result.weights.tolist() == pytest.approx([1 / 10] * 6)
    if recipe.group_baseline:
        assert result.by_group([GROUPS[0], equal])[1] == [0.0] * 3


@pytest.mark.parametrize("equal_groups", ["drop", "resample"])
def test_dropped_groups_do_not_count(equal_groups: str) -> None:
    recipe = replace(filtered(equal_groups=equal_groups), entropy_coefficient=0.1)
    result = weighed([GROUPS[0], group("equal", [1], [[2], [3], [4]], [0.1] * 3)], recipe)
    assert result.contributes.tolist() == [True] * 3 + [False] * 3
    assert result.weights.tolist() == pytest.approx([1 / 7] * 3 + [0.0] * 3)
    alone = replace(recipe, group_baseline=False, advantage=advantages.batch_centered)
    assert weighed([GROUPS[0], group("equal", [1], [[2]], [0.1])], alone).contributes.all()


@pytest.mark.parametrize("rule", [normalization.batch, normalization.domain, normalization.running])
def test_normalization_leaves_equal_groups_at_exactly_zero_and_looks_past_them(rule) -> None:
    recipe = replace(filtered(PLAIN, equal_groups="keep"), normalization=rule)
    equal = group("equal", [1], [[2] * 5, [3], [4]], [0.1] * 3)
    alone, together = values(GROUPS, recipe), values([*GROUPS, equal], recipe)
    assert together == [*alone, [0.0] * 3]
    tokens = weighed([*GROUPS, equal], recipe).advantages[:-7]
    assert float(tokens.mean()) == pytest.approx(0.0, abs=1e-6)
    assert float(tokens.std(correction=0)) == pytest.approx(1.0, abs=1e-6)


def test_kl_in_the_reward_is_taken_off_before_the_baseline() -> None:
    recipe = replace(PLAIN, kl=replace(PLAIN.kl, coefficient=0.5, placement="reward"))
    kl = torch.tensor([0.1, 0.2, 0.3, 0.4, 1.0, 0.0, 2.0])
    scores = score(GROUPS[:1], recipe, LIMITS, version=0)
    (found,) = weigh(scores, recipe, no_moments(1), kl).by_group(GROUPS[:1])
    rewards = [1.0 - 0.5, 0.0 - 0.5, 0.0 - 1.0]
    assert found == pytest.approx([reward - sum(rewards) / 3 for reward in rewards])


def test_kl_to_go_differs_from_token_to_token() -> None:
    recipe = replace(
        filtered(PLAIN, equal_groups="keep"), kl=replace(PLAIN.kl, coefficient=0.5, placement="reward_to_go")
    )
    kl = torch.tensor([0.1, 0.2, 0.3, 0.4, 1.0, 0.0, 2.0])
    scores = score([group("a", [1], [[4, 5, 6, 7], [8], [9, 10]], [1.0] * 3)], recipe, LIMITS, version=0)
    found = weigh(scores, recipe, no_moments(1), kl).advantages
    assert found.tolist() == pytest.approx([-0.5, -0.45, -0.35, -0.2, -0.5, -1.0, -1.0])


def test_domains_are_numbered_as_the_run_has_them() -> None:
    other = replace(GROUPS[1], task=replace(GROUPS[1].task, domain="e"))
    scores = score([GROUPS[0], other], GRPO, {"e": 5, "d": 10}, version=0)
    assert scores.domains.tolist() == [1, 1, 1, 0, 0, 0]


def test_groups_that_take_part_are_spread_over_the_updates() -> None:
    unscored = group("unscored", [1], [[2], [3], [4]], [None] * 3)
    result = weighed([unscored, GROUPS[0], unscored, GROUPS[1]], replace(GRPO, updates_per_step=2))
    assert result.update[3:6].tolist() == [0] * 3
    assert result.update[9:].tolist() == [1] * 3
    assert result.weights.tolist() == pytest.approx([0.0] * 3 + [1 / 7] * 3 + [0.0] * 3 + [1 / 8] * 3)


def test_without_the_greedy_answers_reward_a_group_takes_no_part() -> None:
    recipe = replace(GRPO, advantage=advantages.minus_greedy, needs_greedy=True, group_baseline=False)
    verdicts = [Verdict(0.5, "wrong"), Verdict(None, "infra_error"), None]
    groups = [replace(one, greedy_verdict=verdict) for one, verdict in zip(GROUPS, verdicts, strict=True)]
    result = weighed(groups, recipe)
    assert result.contributes.tolist() == [True] * 3 + [False] * 6
    assert result.advantages[:4].tolist() == [0.5] * 4
    assert not result.advantages[7:].any()


def test_a_step_without_any_group_weighs_nothing() -> None:
    result = weighed([])
    assert len(result.contributes) == len(result.advantages) == 0


def with_credits(one: Group, *credits: list[Credit]) -> Group:
    verdicts = [replace(verdict, credits=own) for verdict, own in zip(one.verdicts, credits, strict=True)]
    return replace(one, verdicts=verdicts)


def test_rewards_for_parts_reach_the_tokens_before_them() -> None:
    one = group("a", [1], [[2, 3, 4], [5, 6], [7]], [1.0, 0.0, 0.0])
    first = [Credit(0, 0.0, token=0), Credit(1, -1.0, token=2)]
    result = weighed([with_credits(one, first, [Credit(0, 0.5, token=1)], [Credit(0, 0.5, token=0)])], PLAIN)
    # Whole: 1, 0, 0 around their mean of 1/3; parts: 0, -1, 0.5, 0.5 around their mean of 0.
    expected = [2 / 3 - 1, 2 / 3 - 1, 2 / 3 - 1, -1 / 3 + 0.5, -1 / 3 + 0.5, -1 / 3 + 0.5]
    assert result.advantages.tolist() == pytest.approx(expected)


def test_a_group_whose_parts_alone_differ_teaches() -> None:
    one = group("a", [1], [[2], [3]], [1.0, 1.0])
    differing = with_credits(one, [Credit(0, 0.0, token=0)], [Credit(0, -0.1, token=0)])
    alike = with_credits(one, [Credit(0, -0.1, token=0)], [Credit(0, -0.1, token=0)])
    assert weighed([differing], PLAIN).advantages.tolist() == pytest.approx([0.05, -0.05])
    assert not weighed([alike], PLAIN).contributes.any()


def test_a_critic_sees_rewards_for_parts_where_they_are_earned() -> None:
    recipe = replace(PLAIN, advantage=partial(gae, gamma=1.0, lam=1.0), group_baseline=False)
    one = with_credits(group("a", [1], [[2, 3, 4]], [1.0]), [Credit(0, 0.5, token=1)])
    result = weigh(score([one], recipe, LIMITS, version=0), recipe, no_moments(1), values=torch.zeros(3))
    assert result.returns.tolist() == pytest.approx([1.5, 1.5, 1.0])


def test_a_credit_whose_token_nobody_found_is_an_error() -> None:
    one = with_credits(group("a", [1], [[2], [3]], [1.0, 0.0]), [Credit(0, 0.5)], [])
    with pytest.raises(ValueError, match="token of a credit"):
        weighed([one], PLAIN)
