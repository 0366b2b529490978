"""What a user reads who mistyped something: one sentence that names the nearest right thing."""

from __future__ import annotations

from collections.abc import Callable

import pytest

CASES = [
    # a key that does not exist
    (["++typo=1"], ["++typo=1", "no key 'typo'", "algorithm"]),
    (["+typo=1"], ["no key 'typo'"]),
    (["domian=gsm8k"], ["'domian'", "did you mean 'domain'"]),
    (["domian=[arithmetic]"], ["did you mean 'domain'"]),
    (["algorithm.optimizer.lrr=1"], ["did you mean 'algorithm.optimizer.learning_rate'"]),
    (["++algorithm.optimizer.lrr=1"], ["did you mean 'algorithm.optimizer.learning_rate'"]),
    (["algorithm.optimizer.lr=1"], ["did you mean 'algorithm.optimizer.learning_rate'"]),
    (["algorithm.loss.clip_lo=0.1"], ["did you mean 'algorithm.loss.clip_low'"]),
    (["learning_rate=1e-4"], ["did you mean 'algorithm.optimizer.learning_rate'"]),
    (["sandbox=process", "sandbox.cpus=1"], ["'sandbox.cpus'", "it belongs to sandbox=auto and sandbox=docker."]),
    (["sandbox=process", "++sandbox.cpus=1"], ["belongs to sandbox=auto and sandbox=docker."]),
    (["sandbox=process", "sandbox.limits.cpu=1"], ["did you mean 'sandbox.limits.cpu_s'"]),
    (["group_size=4"], ["did you mean 'algorithm.group_size'"]),
    (["domain.arithmetc.weight=2"], ["did you mean 'domain.arithmetic.weight'"]),
    (["policy.name.x=1"], ["'policy.name' has no keys below it"]),
    (["budget.zzz=3"], ["'budget' has steps, wall_s or tokens"]),
    (["~foo"], ["~foo", "nothing of that name"]),
    # a value of the wrong type
    (["algorithm.group_size=eight"], ["algorithm.group_size=eight", "a whole number", "algorithm.group_size=8"]),
    (["algorithm.group_size=1.5"], ["a whole number"]),
    (["seed="], ["a whole number", "seed=0"]),
    (["traceback=maybe"], ["true or false"]),
    (["policy.dtype=bf16"], ["did you mean policy.dtype=bfloat16"]),
    (["evaluation.split=train"], ["validation or test"]),
    (["policy.context_length=null"], ["a whole number"]),
    (["budget.wall_s=soon"], ["a number or null"]),
    (["algorithm.optimizer.betas=1"], ["a list, each item a number"]),
    (["algorithm.optimizer.betas=[a,b]"], ["a list, each item a number"]),
    (["algorithm.optimizer=3"], ["keys of its own"]),
    # an option that does not exist
    (["algorithm=grpoo"], ["'grpoo'", "did you mean grpo?"]),
    (["domain=[arithmetic,instructons]"], ["'instructons'", "did you mean instructions?"]),
    (["domain=[arithmetic,chess]"], ["'chess'", "arithmetic, calculator, instructions, python_functions"]),
    (["verifier@domain.arithmetic.verifier=mathh"], ["'mathh'", "did you mean math?"]),
    (["verifier@domain.arithmetic.verifier=oracle"], ["'oracle'", "math", "unit_tests"]),
    (["sandbox=dockr"], ["did you mean docker?"]),
    (["hydra/launcher=submitit_lcoal"], ["did you mean submitit_local?"]),
    (["domain=[]"], ["selects nothing", "arithmetic"]),
    (["domain="], ["selects nothing"]),
    (["domain=null"], ["selects nothing"]),
    (["tracker=null"], ["'none' switches it off"]),
    # a group written as a key, and the reverse
    (["algorithm.rloo="], ["algorithm=rloo"]),
    (["algorithm.rloo"], ["algorithm=rloo"]),
    (["algorithm/rloo"], ["algorithm=rloo"]),
    (["algorithm/rloo=x"], ["algorithm=rloo"]),
    (["domain.arithmetic="], ["domain=[arithmetic]"]),
    (["algorithm.loss=reinforce"], ["algorithm/loss=reinforce"]),
    (["algorithm.loss=reinfrce"], ["algorithm/loss=reinforce"]),
    (["hydra.launcher=submitit_slurm"], ["hydra/launcher=submitit_slurm"]),
    (["domain.arithmetic.verifier=exact"], ["verifier@domain.arithmetic.verifier=exact"]),
    (["verifier=exact"], ["verifier@domain.arithmetic.verifier=exact"]),
    (["verifier@domain.arithmtic.verifier=exact"], ["verifier@domain.arithmetic.verifier=exact"]),
    (["budget/steps=3"], ["budget.steps=3"]),
    # one where several are given, and the reverse
    (["algorithm=[grpo,rloo]"], ["one option at a time", "-m algorithm=grpo,rloo"]),
    (["algorithm=grpo,rloo"], ["add -m"]),
    (["domain=arithmetic,instructions"], ["domain=[arithmetic,instructions]"]),
    # signs
    (["+algorithm=grpo"], ["write algorithm=grpo"]),
    (["+seed=3"], ["write seed=3"]),
    (["++algorithm=grpo"], ["algorithm="]),
    # what Hydra's grammar does not take
    (["name=a=b"], ['name="a=b"']),
    (["name=(a"], ["quotes"]),
    (["domain"], ["domain=OPTION"]),
    (["nonsense"], ["key=value"]),
]


@pytest.mark.parametrize(("overrides", "expected"), CASES, ids=lambda value: " ".join(value))
def test_a_mistake_is_explained_in_one_sentence(
    refusal: Callable[..., str], overrides: list[str], expected: list[str]
) -> None:
    said = refusal(*overrides)
    assert all(part in said for part in expected), said
    assert "\n" not in said
    assert said.endswith((".", "?"))


def test_hydras_advice_to_append_a_mistyped_key_is_never_given(refusal: Callable[..., str]) -> None:
    assert "+algorithm" not in refusal("algorithm.optimizer.lrr=1")


def test_the_first_of_several_mistakes_is_named_wherever_it_stands(refusal: Callable[..., str]) -> None:
    assert "'stepz'" in refusal("algorithm=rloo", "seed=1", "budget.stepz=3").replace("budget.", "")


def test_a_key_is_looked_up_in_the_chosen_options_not_in_the_default_ones(refusal: Callable[..., str]) -> None:
    said = refusal("algorithm=dr_grpo", "algorithm.aggregation.token=9")
    assert "did you mean 'algorithm.aggregation.tokens'" in said


def test_every_sentence_is_about_a_key_that_exists(refusal: Callable[..., str], train) -> None:
    from rlpt.config.keys import paths

    said = refusal("warmup=3")
    suggestion = said.rpartition("'")[0].rpartition("'")[2]
    assert suggestion in set(paths(train.compose()))
