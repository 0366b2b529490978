"""The pattern verifier pays the form of an answer, in bounded time, and refuses patterns that it cannot keep to it."""

import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rlpt.errors import UserError
from rlpt.records import Task
from rlpt.verifiers.pattern import PatternVerifier, compiled

TASK = Task("pattern", "t", [], {})


def paid(completion, **options):
    verdict = PatternVerifier(**options).verify(TASK, completion)
    assert (verdict.reward, verdict.status) in [(1.0, "correct"), (0.0, "wrong")]
    assert verdict.parts == {"format": verdict.reward}
    assert "\n" not in verdict.detail
    return verdict.reward == 1.0


@pytest.mark.parametrize(
    ("options", "completion", "right"),
    [
        ({}, "So \\boxed{5}.", True),
        ({}, "So \\boxed{}.", False),
        ({}, "So 5.", False),
        ({}, "", False),
        ({}, "<think>\\boxed{5}", False),
        ({}, "<think>\\boxed{5}</think> 5", False),
        ({"form": "hash"}, "#### 5", True),
        ({"form": "tag"}, "<answer>5</answer>", True),
        ({"form": "tag"}, "<answer>5", False),
        ({"pattern": r"-?\d+"}, "\\boxed{-5}", True),
        ({"pattern": r"-?\d+"}, "\\boxed{-5 apples}", False),
        ({"pattern": r"-?\d+", "match": "search"}, "\\boxed{-5 apples}", True),
        ({"pattern": r"-?\d+"}, "-5", False),
        ({"form": None, "pattern": r"-?\d+"}, " -5\n<|im_end|>", True),
        ({"form": None, "pattern": r"-?\d+"}, "-5\n7", False),
        ({"form": None, "pattern": "(?s)<think>.+</think>.+"}, "<think>a\nb</think>c", False),
        ({"form": None, "pattern": "(?s)<think>.+</think>.+", "text": "completion"}, "<think>a\nb</think>c", True),
        ({"form": None, "pattern": "(?s)<think>.+</think>.+", "text": "completion"}, "<think>a\nb</think>", False),
        ({"form": None, "pattern": ".{1,10}", "max_length": 5}, "12345", True),
        ({"form": None, "pattern": ".{1,10}", "max_length": 5}, "123456", False),
        ({"form": None, "pattern": ".*"}, "", True),
    ],
)
def test_a_form_and_a_pattern_are_asked_for(options, completion, right):
    assert paid(completion, **options) is right


@pytest.mark.parametrize(
    ("options", "part"),
    [
        ({"form": "box"}, "form must be one of"),
        ({"match": "match"}, "match must be one of"),
        ({"text": "all"}, "text must be one of"),
        ({"max_length": 0}, "max_length=0"),
        ({"form": None}, "everything would be paid"),
        ({"pattern": "("}, "no regular expression"),
        ({"pattern": "a{2,1}"}, "no regular expression"),
        ({"pattern": "(" * 5000 + ")" * 5000}, "no regular expression"),
        ({"pattern": "a{99999999999999999999}"}, "no regular expression"),
        ({"pattern": "(a+)+"}, "within a repeat"),
    ],
)
def test_settings_that_cannot_be_meant_are_refused(options, part):
    with pytest.raises(UserError, match=part):
        PatternVerifier(**options)


AMBIGUOUS = [
    "(a*)*",
    "(?:a+?)+",
    "(a+)*b",
    "((?:ab|ac)+c?)+",
    "(?:x(?:y(?:z+)))*",
    "(?:a|b+)+",
    "(?:a|a)*",
    "(?:a{1,3})+",
    r"(?:\w+ ?){1,1000}",
    "(?:a?){30}",
    "(?=(a+)+)b",
    "(?>(a+)+)",
    "(?:(?:a|a)+b)++",
    "(x)?(?(1)(a+)+)",
]
TAKEN = [
    "a+b*",
    "(?:a++)+",
    "(?:(?>a+) )*",
    "(?:abc)+",
    r"(?:\d{1,3}+,)*\d+",
    "(?i)[ab]*",
    "(?>a|aa)+",
    "(?:a|aa)++",
    "[a-z]+(?: [a-z]++)*",
    "(?s)<think>.+?</think>\\s*<answer>.+?</answer>",
    "(?:yes|no)",
    "(?:(?!x).)*",
]


@pytest.mark.parametrize("pattern", AMBIGUOUS)
def test_a_repeat_or_a_choice_in_a_repeat_is_refused(pattern):
    re.compile(pattern)
    with pytest.raises(UserError, match="within a repeat"):
        compiled(pattern)


@pytest.mark.parametrize("pattern", TAKEN)
def test_other_repeats_are_taken_and_fast(pattern):
    started = time.monotonic()
    for text in ("a" * 4000 + "!", "yes" * 1000 + "!", "1" * 4000 + "!", "<think></think>" * 250 + "!"):
        compiled(pattern).fullmatch(text)
    assert time.monotonic() - started < 5.0


@pytest.mark.parametrize(
    "text", ["a" * 100_000, "\\boxed{" * 10_000, "{" * 100_000, "####" * 30_000, "<answer>" * 20_000]
)
def test_long_texts_get_a_verdict_at_once(text):
    started = time.monotonic()
    for form in ("boxed", "hash", "tag", None):
        PatternVerifier(form=form, pattern="(?s).*x").verify(TASK, text)
    assert time.monotonic() - started < 5.0


@settings(max_examples=200, deadline=None)
@given(completion=st.text(max_size=100))
def test_any_text_gets_a_verdict_and_always_the_same(completion):
    for options in ({}, {"form": None, "pattern": "[a-z ]+"}, {"form": "tag", "pattern": r"\d+", "match": "search"}):
        assert paid(completion, **options) is paid(completion, **options)


def test_any_reference_will_do():
    PatternVerifier().check_reference({})
