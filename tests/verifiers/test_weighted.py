"""The verifier `weighted`: a normalised mean, exact where all is right, nothing without what is required."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from omegaconf import OmegaConf

from rlpt.config.preflight import compose_config
from rlpt.errors import UserError
from rlpt.records import Task, Verdict
from rlpt.verifiers.pool import VerifierPool
from rlpt.verifiers.weighted import WeightedVerifier

TASK = Task("weighted", "t", [], {"answer": "5"})


class Says:
    def __init__(self, reward, status=None):
        self.verdict = Verdict(reward, status or ("correct" if reward == 1.0 else "wrong"), "", {"format": 1.0})
        self.closed = False

    def verify(self, task, completion):
        return self.verdict

    def close(self):
        self.closed = True


def judge(rewards, weights, **options):
    members = {name: reward if isinstance(reward, Says) else Says(reward) for name, reward in rewards.items()}
    return WeightedVerifier(members, weights, **options).verify(TASK, "x")


@pytest.mark.parametrize(
    ("rewards", "weights", "options", "reward", "status"),
    [
        ({"a": 1.0, "f": 1.0}, {"a": 0.9, "f": 0.1}, {}, 1.0, "correct"),
        ({"a": 1.0, "f": 0.0}, {"a": 0.9, "f": 0.1}, {}, 0.9, "wrong"),
        ({"a": 0.0, "f": 1.0}, {"a": 0.9, "f": 0.1}, {}, 0.1, "wrong"),
        ({"a": 0.0, "f": 1.0}, {"a": 9, "f": 1}, {}, 0.1, "wrong"),
        ({"a": 0.0, "f": 1.0}, {"a": 0.9, "f": 0.1}, {"required": ["a"]}, 0.0, "wrong"),
        ({"a": 0.5, "f": 1.0}, {"a": 0.9, "f": 0.1}, {"required": ["a"]}, 0.0, "wrong"),
        ({"a": 1.0, "f": 0.0}, {"a": 0.9, "f": 0.1}, {"required": ["a"]}, 0.9, "wrong"),
        ({"a": Says(0.0, "timeout"), "f": Says(0.0, "crash")}, {"a": 1, "f": 1}, {}, 0.0, "timeout"),
        ({"a": Says(0.0, "timeout"), "f": Says(0.0, "crash")}, {"a": 1, "f": 1}, {"required": ["f"]}, 0.0, "crash"),
        ({"a": Says(0.5, "wrong"), "f": Says(0.0, "suspicious")}, {"a": 1, "f": 1}, {}, 0.25, "suspicious"),
        ({"a": 1.0, "f": 0.0}, {"a": 1.0, "f": 0.0}, {}, 1.0, "correct"),
        ({"a": 1.0, "f": 0.0}, {"a": 1.0, "f": 0.0}, {"required": ["f"]}, 0.0, "wrong"),
        ({"a": 1.0, "f": None}, {"a": 1.0, "f": 0.0}, {}, None, "infra_error"),
        ({"a": 0.0, "f": None}, {"a": 1.0, "f": 1.0}, {"required": ["a"]}, None, "infra_error"),
        ({"a": 0.5, "f": 0.5}, {"a": 1e308, "f": 1e308}, {}, 0.5, "wrong"),
        ({"a": 0.5, "f": 0.0}, {"a": 5e-324, "f": 0.0}, {}, 0.5, "wrong"),
        ({"a": 1.0, "b": 1.0, "c": 1.0}, {"a": 0.1, "b": 0.2, "c": 0.3}, {}, 1.0, "correct"),
    ],
)
def test_the_mean_is_normalised_and_required_members_decide(rewards, weights, options, reward, status):
    verdict = judge(rewards, weights, **options)
    assert verdict.status == status
    assert verdict.reward == (reward if reward is None else pytest.approx(reward, abs=1e-12))
    assert (verdict.reward == 1.0) is (status == "correct")


def test_rewards_and_parts_of_the_members_are_logged():
    assert judge({"answer": 0.0, "format": 1.0}, {"answer": 0.9, "format": 0.1}).parts == {
        "format": 1.0,
        "answer": 0.0,
        "answer.format": 1.0,
        "format.reward": 1.0,
        "format.format": 1.0,
    }


@pytest.mark.parametrize(
    ("weights", "options", "part"),
    [
        ({"a": 1.0, "b": 1.0}, {}, "weights names 'b', which is no member; the members are a, f"),
        ({"a": 1.0}, {}, "'f' has no weight"),
        ({"a": 1.0, "f": -0.1}, {}, "weights.f=-0.1 must be a number, 0 or more"),
        ({"a": 1.0, "f": math.nan}, {}, "must be a number"),
        ({"a": 1.0, "f": math.inf}, {}, "must be a number"),
        ({"a": 1.0, "f": "1"}, {}, "must be a number"),
        ({"a": 1.0, "f": None}, {}, "must be a number"),
        ({"a": 1.0, "f": True}, {}, "must be a number"),
        ({"a": 0.0, "f": 0}, {}, "every weight is 0"),
        (None, {}, "weights must name"),
        ({"a": 1.0, "f": 1.0}, {"required": ["b"]}, "required names 'b'"),
        ({"a": 1.0, "f": 1.0}, {"format_from": "b"}, "format_from names 'b'"),
    ],
)
def test_settings_that_cannot_be_meant_are_refused(weights, options, part):
    with pytest.raises(UserError, match=part):
        judge({"a": 1.0, "f": 1.0}, weights, **options)


def test_members_are_closed_where_the_settings_are_refused():
    member = Says(1.0)
    with pytest.raises(UserError, match="no weight"):
        WeightedVerifier({"a": member, "b": Says(1.0)}, {"a": 1.0})
    assert member.closed


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1e6)), min_size=1, max_size=6).filter(
        lambda pairs: any(weight > 0 for _, weight in pairs)
    )
)
def test_the_reward_lies_between_the_members_rewards(pairs):
    rewards = {f"m{number}": reward for number, (reward, _) in enumerate(pairs)}
    weights = {f"m{number}": weight for number, (_, weight) in enumerate(pairs)}
    verdict = judge(rewards, weights)
    assert min(rewards.values()) - 1e-9 <= verdict.reward <= max(rewards.values()) + 1e-9
    assert judge(dict.fromkeys(rewards, 1.0), weights).reward == 1.0


def test_it_is_built_from_its_config_in_a_worker():
    chosen = [
        "domain=[arithmetic]",
        "verifier@domain.arithmetic.verifier=weighted",
        "domain.arithmetic.verifier.weights.answer=0.8",
        "domain.arithmetic.verifier.weights.format=0.2",
    ]
    node = OmegaConf.to_container(compose_config("train", chosen).domain.arithmetic.verifier)
    tasks = [Task("arithmetic", "t", [], {"answer": "5"})] * 3
    with VerifierPool({"arithmetic": node}, workers=1) as pool:
        verdicts = pool.score(list(zip(tasks, ["\\boxed{5}", "It is 5.", "\\boxed{6}"], strict=True)))
    assert [verdict.reward for verdict in verdicts] == pytest.approx([1.0, 0.8, 0.2])
