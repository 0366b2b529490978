"""Combinations that cannot work are refused, each with the fix; the neighbours that can work are not."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from rlpt.config.checks import EVAL, TRAIN
from rlpt.config.composer import Composer
from rlpt.config.preflight import compose_checked, compose_config
from rlpt.config.resolve import frozen
from rlpt.errors import UserError

REFUSED = [
    (["algorithm.group_size=1"], ["algorithm=reinforce"]),
    (["algorithm.group_size=0"], ["algorithm.group_size=0"]),
    (["algorithm=reinforce", "algorithm.group_size=1", "algorithm/advantage=leave_one_out"], ["2 or more"]),
    (["sampler.top_p=0.9"], ["sampler.top_p=1"]),
    (["sampler.top_k=50"], ["sampler.top_k=-1"]),
    (["sampler.temperature=0"], ["above 0"]),
    (["sampler.temperature=-1"], ["negative"]),
    (["domain.arithmetic.max_new_tokens=512"], ["policy.context_length=512"]),
    (["policy.context_length=16"], ["max_new_tokens"]),
    (["policy.context_length=8193"], ["policy.context_length=8192"]),
    (["policy=tiny", "policy.context_length=2048"], ["policy.context_length=1024"]),
    (["domain.arithmetic.max_new_tokens=0"], ["domain.arithmetic.max_new_tokens=0"]),
    (["domain.arithmetic.weight=-1"], ["domain.arithmetic.weight=-1"]),
    (["domain=[arithmetic]", "domain.arithmetic.weight=0"], ["Every domain"]),
    (["mixture.tasks_per_step=0"], ["mixture.tasks_per_step=0"]),
    (["hardware=cpu_fsdp2", "mixture.tasks_per_step=13"], ["2 ranks", "mixture.tasks_per_step=12"]),
    (["hardware=cpu_fsdp2", "mixture.tasks_per_step=1"], ["fewer tasks", "mixture.tasks_per_step=2"]),
    (["hardware=fsdp_8gpu", "mixture.tasks_per_step=12"], ["8 ranks", "mixture.tasks_per_step=16"]),
    (["hardware=fsdp_8gpu", "hardware.nodes=2"], ["one machine", "hardware.nodes=1"]),
    (["policy.dtype=bfloat16", "sampler.dtype=float32"], ["sampler.dtype=float32", "serving.verify=false"]),
    (["sandbox.limits.wall_s=10"], ["verification.timeout_s=10", "verification.timeout_s=20"]),
    (["hardware.devices=0"], ["hardware.devices=0"]),
    (["hardware.devices=4096"], ["CPU cores"]),
    (["hardware.threads=0"], ["hardware.threads=0"]),
    (["budget.steps=0"], ["budget.steps=0"]),
    (["budget.wall_s=-5"], ["budget.wall_s=-5"]),
    (["checkpoint.every=0"], ["checkpoint.every=0"]),
    (["algorithm.optimizer.learning_rate=-1"], ["negative"]),
    (["algorithm.optimizer.betas=[0.9]"], ["two numbers"]),
    (["algorithm.optimizer.betas=[0.9,1.0]"], ["below 1"]),
    (["algorithm.kl.coefficient=-0.1"], ["negative"]),
    (["evaluation.tasks_per_domain=0"], ["evaluation.tasks_per_domain=0"]),
    (["evaluation.samples_per_task=0"], ["evaluation.samples_per_task=0"]),
    (["evaluation.tasks_per_domain=100000"], ["test_tasks"]),
    (["evaluation.split=validation", "evaluation.tasks_per_domain=100000"], ["validation_tasks"]),
    (["evaluation.confidence=95"], ["0.95"]),
    (["evaluation.every=-1"], ["evaluation.every=-1"]),
    (["verification.timeout_s=0"], ["verification.timeout_s=0"]),
]

ALLOWED = [
    [],
    ["algorithm=reinforce", "algorithm.group_size=1"],
    ["algorithm/advantage=batch_centered", "algorithm.group_size=1"],
    ["algorithm.optimizer.learning_rate=0"],
    ["hardware=fsdp_8gpu"],
    ["policy.dtype=bfloat16", "sampler.dtype=float32", "serving.verify=false"],
    ["domain.arithmetic.weight=0"],
    ["evaluation=none"],
    ["budget.wall_s=60", "budget.tokens=1000"],
    ["verification.memory_mb=null"],
]


@pytest.mark.parametrize(("overrides", "expected"), REFUSED, ids=lambda value: " ".join(value))
def test_refused(refusal: Callable[..., str], overrides: list[str], expected: list[str]) -> None:
    said = refusal(*overrides)
    assert all(part in said for part in expected), said
    assert "\n" not in said


@pytest.mark.parametrize("overrides", ALLOWED, ids=lambda value: " ".join(value) or "default")
def test_allowed(train: Composer, overrides: list[str]) -> None:
    compose_checked(train, overrides)


def test_evaluation_may_sample_greedily_and_cut_tokens_off() -> None:
    cold = ["sampler.temperature=0", "evaluation.samples_per_task=1", "sampler.top_p=0.9", "sampler.top_k=20"]
    assert compose_config("eval", cold).sampler.top_k == 20


@pytest.mark.parametrize("asked", ["sampler.temperature=0", "evaluation.greedy=true"])
def test_several_answers_without_chance_are_refused(asked: str) -> None:
    with pytest.raises(UserError, match=f"{asked} .*write evaluation.samples_per_task=1"):
        compose_config("eval", [asked, "evaluation.samples_per_task=4"])
    assert compose_config("eval", [asked, "evaluation.samples_per_task=1"]).evaluation.samples_per_task == 1


@pytest.mark.parametrize(("suite", "answers"), [("quick", 1), ("greedy", 1), ("thorough", 8)])
def test_the_suites_that_come_with_rlpt_compose(suite: str, answers: int) -> None:
    found = compose_config("eval", [f"evaluation={suite}"]).evaluation
    assert (found.suite, found.samples_per_task, found.greedy) == (suite, answers, suite == "greedy")


def test_no_domain_at_all_is_refused() -> None:
    for domain in ("???", {}):
        with pytest.raises(UserError, match="domain="):
            TRAIN[0](frozen({"domain": domain}))


@pytest.mark.parametrize("check", [*TRAIN, *EVAL], ids=lambda check: check.__name__)
def test_a_rule_says_nothing_of_keys_that_are_not_there(check) -> None:
    check(frozen({"domain": {"mine": {"_target_": "my.Domain"}}}))
