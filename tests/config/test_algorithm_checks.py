"""Algorithms that cannot work as composed are refused in one sentence with the fix; their neighbours are not."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from rlpt.config.algorithm_checks import ALGORITHM
from rlpt.config.composer import Composer
from rlpt.config.preflight import compose_checked, compose_config
from rlpt.config.resolve import frozen
from rlpt.errors import UserError

REFUSED = [
    (["algorithm=maxrl", "algorithm.group_size=1"], ["algorithm.group_size", "2 or more"]),
    (["algorithm=dapo", "algorithm/advantage=batch_centered", "algorithm.group_size=1"], ["algorithm/filters=keep"]),
    (["algorithm.updates_per_step=17"], ["16 tasks", "mixture.tasks_per_step to 17"]),
    (["algorithm.updates_per_step=0"], ["algorithm.updates_per_step=0"]),
    (["algorithm/kl=k1", "algorithm.kl.placement=loss"], ["algorithm.kl.placement=reward", "algorithm/kl=k3"]),
    (["algorithm.kl.placement=reward"], ["keeps no reference", "above 0"]),
    (["algorithm=reinforce_pp", "algorithm.kl.coefficient=0"], ["algorithm.kl.placement=reward_to_go", "no reference"]),
    (["algorithm.kl.reference_every=5"], ["algorithm.kl.coefficient=0", "algorithm.kl.reference_every=0"]),
    (["algorithm.kl.reference_every=-1"], ["negative"]),
    (["algorithm.kl.reference_mix=0"], ["algorithm.kl.reference_mix=0", "at most 1"]),
    (["algorithm=gspo", "algorithm/correction=truncated"], ["level=token", "level=geometric", "level=sequence"]),
    (["algorithm.correction.level=rollout"], ["token, sequence, geometric"]),
    (["algorithm.correction.cap=0"], ["algorithm.correction.cap=0"]),
    (["algorithm/correction=masked", "algorithm.correction.low=1.5"], ["algorithm.correction.low=1.5", "ratio of 1"]),
    (["algorithm.old_logprobs=engine"], ["algorithm/correction=none", "algorithm.old_logprobs=recomputed"]),
    (["algorithm.loss.clip_low=-0.1"], ["algorithm.loss.clip_low=-0.1"]),
    (["algorithm/loss=dual_clipped_ratio", "algorithm.loss.bound=1"], ["above 1"]),
    (["algorithm.entropy_coefficient=-1"], ["negative"]),
    (["algorithm=dr_grpo", "algorithm.aggregation.tokens=0"], ["algorithm.aggregation.tokens=0"]),
    (["algorithm=dapo", "algorithm.filters.max_rounds=0"], ["algorithm.filters.max_rounds=0"]),
    (["algorithm.filters.max_staleness=-1"], ["fresh"]),
    (["algorithm.filters.overlong_penalty=-1"], ["rewards long"]),
    (["algorithm.filters.overlong_buffer=20"], ["algorithm.filters.overlong_buffer=20", "share"]),
    (["algorithm=maxrl", "algorithm/filters=dapo"], ["0 or more", "algorithm.filters.overlong_penalty=0"]),
    (["algorithm=maxrl", "algorithm/kl=k1"], ["0 or more", "algorithm/kl=k3"]),
    (["algorithm=ppo", "algorithm.critic.learning_rate=-1"], ["algorithm.critic.learning_rate"]),
    (["algorithm=ppo", "algorithm.critic.value_clip=0"], ["algorithm.critic.value_clip=0"]),
    (["algorithm=ppo", "algorithm.advantage.lam=2"], ["algorithm.advantage.lam=2"]),
    (["algorithm=ppo", "algorithm.kl.placement=reward_to_go"], ["algorithm.kl.placement=reward"]),
    (["algorithm=rloo", "algorithm.updates_per_step=2"], ["algorithm.updates_per_step=1", "algorithm/loss="]),
    (
        ["algorithm=maxrl", "domain=[calculator]", "verifier@domain.calculator.verifier=tool_errors", "policy=tiny"],
        ["verifier=tool_errors", "domain calculator", "algorithm=rloo"],
    ),
    (["algorithm/normalization=running", "algorithm.normalization.decay=1"], ["algorithm.normalization.decay=1"]),
]

ALLOWED = [
    ["algorithm=gspo", "algorithm/correction=masked", "algorithm.correction.level=sequence"],
    ["algorithm=gspo", "algorithm/correction=none", "algorithm.old_logprobs=engine"],
    ["algorithm.kl.coefficient=0.01", "algorithm.kl.placement=reward", "algorithm.kl.reference_every=5"],
    ["algorithm=reinforce_pp", "algorithm.group_size=1"],
    ["algorithm=ppo", "algorithm.group_size=1"],
    ["algorithm.filters.max_staleness=0"],
    ["algorithm.updates_per_step=16"],
    ["algorithm.filters.equal_groups=resample"],
    ["algorithm=maxrl", "algorithm.kl.coefficient=0.1"],
    ["algorithm/advantage=gae"],
]


@pytest.mark.parametrize(("overrides", "expected"), REFUSED, ids=lambda value: " ".join(value))
def test_refused(refusal: Callable[..., str], overrides: list[str], expected: list[str]) -> None:
    said = refusal(*overrides)
    assert all(part in said for part in expected), said
    assert "\n" not in said


@pytest.mark.parametrize("overrides", ALLOWED, ids=lambda value: " ".join(value))
def test_allowed(train: Composer, overrides: list[str]) -> None:
    compose_checked(train, overrides)


@pytest.mark.parametrize("check", ALGORITHM, ids=lambda check: check.__name__)
def test_a_rule_says_nothing_of_keys_that_are_not_there(check) -> None:
    check(frozen({"algorithm": {"mine": 1}}))
    check(frozen({}))


@pytest.mark.parametrize(
    ("override", "said"),
    [
        ("algorithm.loss.clip_low=nan", r"algorithm\.loss\.clip_low=nan is no number"),
        ("algorithm.optimizer.learning_rate=inf", r"learning_rate=inf is no number"),
        ("algorithm.loss.clip_low=abc", r"algorithm\.loss\.clip_low='abc' is no number"),
        ("algorithm.advantage.eps=null", r"algorithm\.advantage\.eps=None is no number"),
        ("algorithm.advantage.eps=-1", r"must lie between 0 and 1"),
        ("algorithm.advantage._partial_=false", r"_partial_ must be true"),
        ("hardware.logits_mib=0", r"hardware\.logits_mib=0 is too small"),
        ("sampler.temperature=3", r"2 or less"),
    ],
)
def test_what_is_no_number_to_compute_with(override: str, said: str) -> None:
    with pytest.raises(UserError, match=said):
        compose_config("train", [override])


def test_a_token_budget_does_not_go_with_resampling() -> None:
    with pytest.raises(UserError, match="fills each step at once"):
        compose_config("train", ["algorithm=dapo", "algorithm.rollout_tokens_per_step=8"])
