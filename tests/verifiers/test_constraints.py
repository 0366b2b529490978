"""The verifier of checkable constraints: what it refuses, what it accepts, what it says."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rlpt.errors import UserError
from rlpt.records import Task
from rlpt.verifiers.constraint_kinds import KINDS
from rlpt.verifiers.constraints import ConstraintsVerifier, check_reference
from rlpt.verifiers.protocol import ReferenceChecker

VERIFIER = ConstraintsVerifier()
GOOD = "Rain falls on the roof and fills the old garden with water."


def task(*constraints: tuple[str, dict[str, Any]], prompt: str = "Write one sentence about rain.") -> Task:
    entries = [{"kind": kind, "args": args} for kind, args in constraints]
    messages = [{"role": "user", "content": prompt}]
    return Task("instructions", "t", messages, {"constraints": entries})


def reward(text: str, *constraints: tuple[str, dict[str, Any]], **options: Any) -> float | None:
    return VERIFIER.verify(task(*constraints, **options), text).reward


ASKED = (
    ("prose", {"min_words": 6}),
    ("on_topic", {"words": ["rain", "rains"]}),
    ("sentence_count", {"min": 1, "max": 1}),
)


def test_a_full_sentence_on_the_topic_is_right():
    verdict = VERIFIER.verify(task(*ASKED), GOOD)
    assert (verdict.reward, verdict.status, verdict.detail) == (1.0, "correct", "")
    assert verdict.parts == {"format": 1.0, "constraints": 1.0}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "   \n",
        "...",
        "That is all.",
        "Rain rain rain rain rain rain rain rain.",
        "The rain is the rain is the rain is the rain is the rain.",
        "Rain umbrella garden cloud roof water storm puddle.",
        "It is a very good thing to write one here.",
        "Rain falls on the roof and fills the old garden with",
        "Write one sentence about rain.",
        "Sure: write one sentence about rain.",
        "Rain. Rain falls. Rain is wet.",
        "The rain falls on a rainyroofandfillstheoldgarden in the night.",
        "<think>Rain falls on the roof and fills the old garden with water.",
        "r a i n 1 2 3 4 5 6 7 8 9 % % % % % % % % % % % % rain.",
    ],
)
def test_degenerate_texts_are_wrong_and_not_well_formed(text: str):
    verdict = VERIFIER.verify(task(("prose", {"min_words": 6}), ("on_topic", {"words": ["rain"]})), text)
    assert verdict.reward == 0.0
    assert verdict.status == "wrong"
    assert verdict.parts["format"] == 0.0
    assert verdict.detail


def test_the_solved_example_of_the_prompt_may_not_be_copied_with_another_topic():
    example = "Many people use paper to write letters or make it from old wood."
    messages = [
        {"role": "user", "content": "Write one sentence about paper."},
        {"role": "assistant", "content": example},
        {"role": "user", "content": "Write one sentence about rain."},
    ]
    constraints = [{"kind": kind, "args": args} for kind, args in ASKED]
    copied = example.replace("paper", "rain")
    assert VERIFIER.verify(Task("d", "t", messages, {"constraints": constraints}), copied).parts["format"] == 0.0


@pytest.mark.parametrize(
    "text",
    [
        "Letters wood from old it make or write to paper use rain.",
        "About rain one sentence is to write or make from paper.",
        "It is from the old people and to it use rain or paper.",
    ],
)
def test_the_words_of_the_prompt_in_another_order_are_no_answer(text: str):
    prompt = "Many people use paper to write letters or make it from old wood. Write one sentence about rain."
    verdict = VERIFIER.verify(task(*ASKED, prompt=prompt), text)
    assert verdict.parts["format"] == 0.0
    assert "little but the prompt's words" in verdict.detail


def test_an_answer_may_use_words_of_the_prompt():
    prompt = "Many people use paper to write letters or make it from old wood. Write one sentence about rain."
    for text in ("Many people write letters when the rain falls.", "Rain makes wood and paper wet and soft."):
        assert reward(text, *ASKED, prompt=prompt) == 1.0


def test_format_says_nothing_of_the_constraints():
    verdict = VERIFIER.verify(task(*ASKED, ("upper_case", {}), ("no_commas", {})), GOOD)
    assert verdict.reward == 0.0
    assert verdict.parts["format"] == 1.0
    assert verdict.parts["constraints"] == pytest.approx(2 / 3)
    assert verdict.detail == 'upper_case: "Rain" has a small letter'


CASES = [
    ("include_words", {"words": ["art"]}, "I like art in the park.", True),
    ("include_words", {"words": ["art"]}, "I start in the park.", False),
    ("include_words", {"words": ["Art", "park"]}, "ART lives in that park's heart.", True),
    ("include_words", {"words": ["don"]}, "We don't know where they went.", False),
    ("include_words", {"words": ["über"]}, "Ein Satz u\u0308ber den Regen.", True),
    ("include_words", {"words": ["hot dog"]}, "She ate a hot\ndog at the fair.", True),
    ("include_words", {"words": ["rain"]}, "<<Rain>> It falls from the sky.", False),
    ("avoid_words", {"words": ["the"]}, "They went to that other place.", True),
    ("avoid_words", {"words": ["the"]}, "They went to THE other place.", False),
    ("avoid_words", {"words": ["dog"]}, "I like the dog's tail.", False),
    ("word_count", {"min": 3, "max": 4}, "One well-known man isn't.", True),
    ("word_count", {"max": 3}, "One two three four.", False),
    ("sentence_count", {"min": 2, "max": 2}, "Dr. Smith paid 3.50 today. He left at 5 p.m. in a car.", True),
    ("sentence_count", {"min": 2, "max": 2}, 'She said "Stop!" and ran. We followed.', True),
    ("sentence_count", {"min": 2, "max": 2}, "So... we waited. Then it rained!", True),
    ("sentence_count", {"min": 2, "max": 2}, "One line\nanother line", True),
    ("sentence_count", {"min": 1, "max": 1}, "It rained. We left.", False),
    ("paragraph_count", {"min": 2, "max": 2}, "One.\n\n \nTwo.", True),
    ("paragraph_count", {"min": 2, "max": 2}, "One.\nTwo.", False),
    ("bullet_count", {"min": 2, "max": 2}, "- One thing.\n* Another thing.", True),
    ("bullet_count", {"min": 2}, "- One thing.\n- ", False),
    ("bullet_count", {"min": 1}, "A well-known - but old - fact.", False),
    ("placeholder_count", {"min": 2}, "Dear [name], see you in [city].", True),
    ("placeholder_count", {"min": 2}, "Dear [name], see you [name] [].", False),
    ("word_frequency", {"word": "rain", "min": 2, "max": 2}, "Rain, rain, go away from the train.", True),
    ("word_frequency", {"word": "rain", "max": 1}, "Rain, rain, go away.", False),
    ("starts_with", {"phrase": "Art"}, '"Art is long," he said.', True),
    ("starts_with", {"phrase": "Art"}, "Artists work long.", False),
    ("starts_with", {"phrase": "Art"}, "Art", False),
    ("ends_with", {"phrase": "the end"}, "This is the end.", True),
    ("ends_with", {"phrase": "end"}, "We all depend.", False),
    ("ends_with", {"phrase": "the end"}, "The end.", False),
    ("ends_with", {"phrase": "!"}, "This is the end!", True),
    ("ends_with", {"phrase": "!"}, "This is the end.", False),
    ("lower_case", {}, "no capital here, 1 time.", True),
    ("lower_case", {}, "no capital Here.", False),
    ("lower_case", {}, "1 2 3", False),
    ("upper_case", {}, "NO SMALL LETTER, 1 TIME.", True),
    ("upper_case", {}, "NO SMALL LETTEr.", False),
    ("no_commas", {}, "One, two.", False),
    ("no_commas", {}, "One and two.", True),
    ("no_digits", {}, "I have 2.", False),
    ("no_digits", {}, "I have two.", True),
    ("quotation", {}, '"All of it is quoted."', True),
    ("quotation", {}, "\u201cAll of it is quoted.\u201d", True),
    ("quotation", {}, '"Part" of it is "quoted"', False),
    ("quotation", {}, '"Not closed.', False),
    ("title", {}, "<<A Title>>\nThen some text.", True),
    ("title", {}, "Some text. <<A Title>>", False),
    ("title", {}, "<< >> Some text.", False),
    ("postscript", {}, "Some text here.\nP.S. More to come.", True),
    ("postscript", {}, "Some text here.\nP.S.", False),
    ("on_topic", {"words": ["rain"]}, "The train left.", False),
    ("on_topic", {"words": ["rain"]}, "Some rain fell.", True),
    ("prose", {"min_words": 4}, "It rained on the hill.", True),
    ("prose", {"min_words": 4}, "It rained on the hill. it", False),
]


@pytest.mark.parametrize(("kind", "args", "text", "holds"), CASES)
def test_kinds(kind: str, args: dict[str, Any], text: str, holds: bool):
    verdict = VERIFIER.verify(task((kind, args)), text)
    assert verdict.reward == (1.0 if holds else 0.0), verdict.detail
    assert verdict.detail == "" if holds else verdict.detail.startswith(f"{kind}: ")


def test_every_kind_has_a_case_that_holds_and_one_that_does_not():
    for kind in (kind for kind in KINDS if ":" not in kind):  # those of data sets have test files of their own
        outcomes = {holds for name, _, _, holds in CASES if name == kind}
        assert outcomes == {True, False}, kind


def test_the_same_kind_twice_with_other_arguments_is_two_constraints():
    constraints = (("include_words", {"words": ["rain"]}), ("include_words", {"words": ["snow"]}))
    assert reward(GOOD, *constraints) == 0.0
    assert VERIFIER.verify(task(*constraints), GOOD).parts["constraints"] == 0.5
    assert reward("Rain turns to snow on the hill in the night.", *constraints) == 1.0


def test_scoring_twice_gives_the_same_verdict_and_leaves_the_task_as_it_was():
    asked = task(*ASKED, ("include_words", {"words": ["Rain"]}))
    before = copy.deepcopy(asked)
    assert VERIFIER.verify(asked, GOOD) == VERIFIER.verify(asked, GOOD)
    assert asked == before


@pytest.mark.parametrize(
    ("reference", "part"),
    [
        ({}, '"constraints"'),
        ({"constraints": []}, "at least one"),
        ({"constraints": "lower_case"}, "list"),
        ({"constraints": [{"kind": "lowercase"}]}, "did you mean 'lower_case'"),
        ({"constraints": [{"kind": "rhyme"}]}, "word_count"),
        ({"constraints": [{"kind": "word_count"}]}, "exclude something"),
        ({"constraints": [{"kind": "word_count", "args": {"min": 5, "max": 3}}]}, "no range"),
        ({"constraints": [{"kind": "word_count", "args": {"min": "5"}}]}, "must be int"),
        ({"constraints": [{"kind": "word_count", "args": {"min": True}}]}, "must be int"),
        ({"constraints": [{"kind": "word_count", "args": {"least": 5}}]}, "no argument 'least'"),
        ({"constraints": [{"kind": "include_words", "args": {"words": "rain"}}]}, "words"),
        ({"constraints": [{"kind": "include_words", "args": {"words": []}}]}, "asks for nothing"),
        ({"constraints": [{"kind": "starts_with", "args": {}}]}, "lacks its argument 'phrase'"),
        ({"constraints": [{"kind": "lower_case", "note": 1}]}, "args"),
    ],
)
def test_a_reference_that_cannot_be_judged_is_an_error_and_never_a_pass(reference: dict[str, Any], part: str):
    with pytest.raises(UserError) as error:
        check_reference(reference)
    assert part in str(error.value)
    with pytest.raises(UserError):
        VERIFIER.verify(Task("d", "t", [{"role": "user", "content": "Write."}], reference), GOOD)


def test_references_can_be_checked_when_tasks_are_loaded():
    assert isinstance(VERIFIER, ReferenceChecker)
    VERIFIER.check_reference({"constraints": [{"kind": "lower_case"}, {"kind": "word_count", "args": {"max": 3}}]})


def test_special_tokens_and_thoughts_are_no_part_of_the_answer():
    assert reward(f"<think>One. Two, three.</think>{GOOD}<|im_end|>", *ASKED, ("no_commas", {})) == 1.0


EVERYTHING = task(
    *((kind, args) for kind, args, _, _ in CASES),
    prompt="Write a text.",
)


@given(st.text(max_size=300))
def test_any_text_gets_the_same_verdict_twice(text: str):
    first = VERIFIER.verify(EVERYTHING, text)
    assert first == VERIFIER.verify(EVERYTHING, text)
    assert first.reward == 0.0


@pytest.mark.parametrize("unit", ["a ", "a. ", " ", "\n", "<<", "[", "- a\n", '"', "é", ".", "<|", "a\n\n", "rain's "])
def test_long_texts_are_judged(unit: str):
    text = "x" + unit * (50_000 // len(unit)) + "x"
    assert VERIFIER.verify(EVERYTHING, text).reward == 0.0
