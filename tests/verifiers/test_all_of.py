"""The verifier `all_of`: everything must hold, nothing is lost of what its members say, and they are closed."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from omegaconf import OmegaConf

from rlpt.config.preflight import compose_config
from rlpt.errors import UserError
from rlpt.records import Task, Verdict
from rlpt.verifiers.all_of import AllOfVerifier
from rlpt.verifiers.pool import VerifierPool
from rlpt.verifiers.protocol import Closable, ReferenceChecker

MATH = {"_target_": "rlpt.verifiers.math.MathVerifier"}
PATTERN = {"_target_": "rlpt.verifiers.pattern.PatternVerifier"}
EXACT = {"_target_": "rlpt.verifiers.exact.ExactVerifier"}
BOTH = {"answer": MATH, "format": PATTERN}


class Says:
    """Gives the same verdict always; notes what it saw and whether it was closed."""

    def __init__(self, reward, status="correct", **parts):
        self.verdict = Verdict(reward, status, "", parts or {"format": 1.0})
        self.seen = None
        self.closed = False

    def verify(self, task, completion):
        self.seen = task.reference
        return self.verdict

    def close(self):
        self.closed = True


def a_task(**reference):
    return Task("all_of", "t", [], reference or {"answer": "5"})


def judge(completion, verifiers=BOTH, reference=None, **options):
    return AllOfVerifier(verifiers, **options).verify(a_task(**(reference or {})), completion)


@pytest.mark.parametrize(
    ("completion", "reward", "parts"),
    [
        ("\\boxed{5}", 1.0, {"format": 1.0, "answer": 1.0, "format.reward": 1.0}),
        ("\\boxed{6}", 0.0, {"format": 1.0, "answer": 0.0, "format.reward": 1.0}),
        ("It is 5.", 0.0, {"format": 0.0, "answer": 1.0, "format.reward": 0.0}),
        ("", 0.0, {"format": 0.0, "answer": 0.0, "format.reward": 0.0}),
    ],
)
def test_a_right_answer_in_the_asked_for_form_is_paid(completion, reward, parts):
    verdict = judge(completion)
    assert (verdict.reward, verdict.status) == (reward, "correct" if reward else "wrong")
    assert {name: verdict.parts[name] for name in parts} == parts
    assert {"answer.format", "format.format"} < set(verdict.parts)


@pytest.mark.parametrize(
    ("members", "reward", "status"),
    [
        ([Says(1.0), Says(1.0)], 1.0, "correct"),
        ([Says(1.0), Says(0.5, "wrong")], 0.5, "wrong"),
        ([Says(0.5), Says(1.0)], 0.5, "wrong"),
        ([Says(0.0, "timeout"), Says(0.0, "crash")], 0.0, "timeout"),
        ([Says(1.0), Says(0.0, "suspicious"), Says(0.5, "wrong")], 0.0, "suspicious"),
        ([Says(0.5, "wrong"), Says(0.0, "suspicious")], 0.0, "suspicious"),
        ([Says(None, "infra_error"), Says(1.0)], None, "infra_error"),
        ([Says(0.0, "wrong"), Says(None, "infra_error")], None, "infra_error"),
        ([Says(None, "wrong"), Says(0.0)], None, "infra_error"),
    ],
)
def test_the_least_reward_and_the_first_failing_status_count(members, reward, status):
    verdict = judge("x", {f"m{number}": member for number, member in enumerate(members)})
    assert (verdict.reward, verdict.status) == (reward, status)
    assert verdict.parts["format"] in (0.0, 1.0)


def test_a_member_without_a_reward_ends_it_and_has_none_in_the_parts():
    last = Says(1.0)
    verdict = judge("x", {"a": Says(1.0, tests=0.5, format=1.0), "b": Says(None, "infra_error"), "c": last})
    assert verdict.parts == {"format": 1.0, "a": 1.0, "a.tests": 0.5, "a.format": 1.0, "b.format": 1.0}
    assert last.seen is None


def test_the_format_is_the_least_or_that_of_one_member():
    members = {"a": Says(1.0, format=0.0), "b": Says(1.0, format=1.0)}
    assert judge("x", members).parts["format"] == 0.0
    assert judge("x", members, format_from="b").parts["format"] == 1.0
    assert judge("x", {"a": Says(1.0, other=1.0)}).parts["format"] == 0.0


def test_a_member_sees_the_reference_or_the_mapping_under_its_name():
    members = {"a": Says(1.0), "b": Says(1.0), "c": Says(1.0)}
    reference = {"a": {"answer": "5"}, "b": "text", "answer": "6"}
    judge("x", members, reference)
    assert members["a"].seen == {"answer": "5"}
    assert members["b"].seen == members["c"].seen == reference
    assert judge("\\boxed{5}", {"a": MATH}, reference).reward == 1.0
    assert judge("\\boxed{5}", {"c": MATH}, reference).reward == 0.0


def test_references_are_checked_by_the_members():
    verifier = AllOfVerifier({"a": MATH, "b": EXACT, "c": PATTERN})
    assert isinstance(verifier, ReferenceChecker)
    verifier.check_reference({"answer": "5"})
    verifier.check_reference({"a": {"answer": "5"}, "b": {"answer": "yes"}})
    with pytest.raises(UserError, match="all_of, member b: exact"):
        verifier.check_reference({"a": {"answer": "5"}, "b": {}})
    with pytest.raises(UserError, match="member a: "):
        verifier.check_reference({})


def test_closing_closes_every_member_also_where_one_fails_to():
    class Stuck(Says):
        def close(self):
            raise RuntimeError("stuck")

    members = {"a": Says(1.0), "b": Stuck(1.0), "c": Says(1.0)}
    verifier = AllOfVerifier(members)
    assert isinstance(verifier, Closable)
    with pytest.raises(RuntimeError, match="stuck"):
        verifier.close()
    assert members["a"].closed
    assert members["c"].closed


def test_members_are_closed_where_another_cannot_be_built():
    first = Says(1.0)
    with pytest.raises(UserError, match="source must be one of"):
        AllOfVerifier({"a": first, "b": {**EXACT, "source": "box"}})
    assert first.closed
    with pytest.raises(UserError, match="format_from names 'c', which is no member; the members are a, b"):
        AllOfVerifier({"a": (second := Says(1.0)), "b": PATTERN}, format_from="c")
    assert second.closed


@pytest.mark.parametrize(
    ("verifiers", "part"),
    [
        ({}, "at least one member"),
        (None, "at least one member"),
        ({"a": {}}, "verifiers.a has no _target_"),
        ({"a": {"_target_": "builtins.dict"}}, "no method verify"),
        ({"a": 5}, "no method verify"),
    ],
)
def test_what_is_no_member_is_refused(verifiers, part):
    with pytest.raises(UserError, match=part):
        AllOfVerifier(verifiers)


@pytest.mark.parametrize("reward", [float("nan"), float("inf")])
def test_a_reward_that_is_no_number_is_an_error_and_never_paid(reward):
    with pytest.raises(ValueError, match="not finite"):
        judge("x", {"a": Says(1.0), "b": Says(reward)})


def test_members_may_have_members():
    inner = {"_target_": "rlpt.verifiers.all_of.AllOfVerifier", "verifiers": BOTH}
    verdict = judge("\\boxed{5}", {"inner": inner, "short": PATTERN})
    assert verdict.reward == 1.0
    assert verdict.parts["inner.answer.format"] == 1.0


def test_it_is_built_from_its_config_in_a_worker():
    chosen = [
        "domain=[arithmetic]",
        "verifier@domain.arithmetic.verifier=all_of",
        "verifier@domain.arithmetic.verifier.verifiers.answer=exact",
        "domain.arithmetic.verifier.verifiers.answer.case=true",
        "+verifier@domain.arithmetic.verifier.verifiers.short=pattern",
        "domain.arithmetic.verifier.verifiers.short.form=null",
        'domain.arithmetic.verifier.verifiers.short.pattern=".{1,20}"',
    ]
    node = OmegaConf.to_container(compose_config("train", chosen).domain.arithmetic.verifier)
    tasks = [Task("arithmetic", "t", [], {"answer": "Yes"})] * 3
    with VerifierPool({"arithmetic": node}, workers=1) as pool:
        verdicts = pool.score(
            list(zip(tasks, ["\\boxed{Yes}", "\\boxed{yes}", "It is clearly \\boxed{Yes}."], strict=True))
        )
    assert [verdict.reward for verdict in verdicts] == [1.0, 0.0, 0.0]
    assert verdicts[2].detail.startswith("short: ")


@pytest.mark.parametrize(
    ("override", "part"),
    [
        ("domain.arithmetic.verifier.verifiers.answer.anywhere=maybe", "true or false"),
        ("domain.arithmetic.verifier.verifiers.answer.anywher=true", "did you mean"),
        ("++domain.arithmetic.verifier.verifiers.answer.anywher=true", "did you mean"),
        ("verifier@domain.arithmetic.verifier.verifiers.answer=exat", "did you mean exact"),
        ("domain.arithmetic.verifier.format_form=answer", "did you mean"),
    ],
)
def test_a_members_keys_are_checked_when_composing(override, part):
    with pytest.raises(UserError, match=part):
        compose_config("train", ["domain=[arithmetic]", "verifier@domain.arithmetic.verifier=all_of", override])


@settings(max_examples=100, deadline=None)
@given(completion=st.text(max_size=60), wrap=st.booleans())
def test_any_text_gets_a_verdict_and_always_the_same(completion, wrap):
    verifier = AllOfVerifier(BOTH)
    text = f"\\boxed{{{completion}}}" if wrap else completion
    verdict = verifier.verify(a_task(), text)
    assert verdict.reward == min(verdict.parts["answer"], verdict.parts["format.reward"])
    assert verifier.verify(a_task(), text) == verdict
