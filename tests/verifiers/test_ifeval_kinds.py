"""The kinds of IFEval: texts that satisfy each and texts that nearly do, arguments that cannot be, any text at all."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rlpt.verifiers.constraint_kinds.answer import Answer
from rlpt.verifiers.constraint_kinds.ifeval import IFEVAL
from rlpt.verifiers.constraint_kinds.text import words
from tests.verifiers.ifeval_cases import AT_LEAST, CASES, GERMAN, LESS_THAN


def judge(kind: str, args: dict[str, Any], text: str, prompt: str = "Please answer.") -> str | None:
    reason: str | None = IFEVAL[kind](**args).failure(Answer.read(text, [{"role": "user", "content": prompt}]))
    return reason


@pytest.mark.parametrize(("kind", "args", "good", "bad"), CASES)
def test_accepts_what_satisfies_it_and_refuses_what_nearly_does(
    kind: str, args: dict[str, Any], good: list[str], bad: list[str]
) -> None:
    assert {text: judge(kind, args, text) for text in good} == dict.fromkeys(good)
    assert [text for text in bad if judge(kind, args, text) is None] == []


def test_there_are_25_kinds_and_each_has_cases() -> None:
    assert len(IFEVAL) == 25
    assert {kind for kind, *_ in CASES} == set(IFEVAL)


@pytest.mark.parametrize(
    ("kind", "args"),
    [
        ("keywords:existence", {"keywords": ()}),
        ("keywords:existence", {"keywords": ("a", " ")}),
        ("keywords:forbidden_words", {"forbidden_words": ()}),
        ("keywords:frequency", {"keyword": "", "frequency": 1, "relation": AT_LEAST}),
        ("keywords:frequency", {"keyword": "a", "frequency": 1, "relation": "exactly"}),
        ("keywords:frequency", {"keyword": "a", "frequency": 0, "relation": LESS_THAN}),
        ("keywords:letter_frequency", {"letter": "ab", "let_frequency": 1, "let_relation": AT_LEAST}),
        ("keywords:letter_frequency", {"letter": " ", "let_frequency": 1, "let_relation": AT_LEAST}),
        ("keywords:letter_frequency", {"letter": "a", "let_frequency": -1, "let_relation": AT_LEAST}),
        ("language:response_language", {"language": "English"}),
        ("length_constraints:number_sentences", {"num_sentences": -1, "relation": AT_LEAST}),
        ("length_constraints:number_words", {"num_words": 3, "relation": "more"}),
        ("length_constraints:number_paragraphs", {"num_paragraphs": 0}),
        ("length_constraints:nth_paragraph_first_word", {"num_paragraphs": 2, "nth_paragraph": 3, "first_word": "a"}),
        ("length_constraints:nth_paragraph_first_word", {"num_paragraphs": 2, "nth_paragraph": 0, "first_word": "a"}),
        ("length_constraints:nth_paragraph_first_word", {"num_paragraphs": 2, "nth_paragraph": 1, "first_word": "?"}),
        ("detectable_content:number_placeholders", {"num_placeholders": 0}),
        ("detectable_content:postscript", {"postscript_marker": ""}),
        ("detectable_format:number_bullet_lists", {"num_bullets": -2}),
        ("detectable_format:number_highlighted_sections", {"num_highlights": 0}),
        ("detectable_format:multiple_sections", {"section_spliter": " ", "num_sections": 2}),
        ("detectable_format:multiple_sections", {"section_spliter": "Day", "num_sections": 0}),
        ("combination:repeat_prompt", {"prompt_to_repeat": "\n"}),
        ("startend:end_checker", {"end_phrase": "*"}),
        ("change_case:capital_word_frequency", {"capital_frequency": 1, "capital_relation": ""}),
    ],
)
def test_refuses_arguments_that_cannot_be(kind: str, args: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"."):
        IFEVAL[kind](**args)


def test_a_request_that_is_repeated_is_not_the_answer() -> None:
    request = "Name a café, such as <<name>>. Say why, but do not use the word tea."
    prompt = f"{request}\nFirst repeat the request word for word."
    forbidden = {"forbidden_words": ("tea",)}
    assert judge("keywords:forbidden_words", forbidden, f"{request}\n\n<<Rosa>> has good coffee.", prompt) is None
    assert judge("keywords:forbidden_words", forbidden, f"{request}\n\n<<Rosa>> has good tea.", prompt) is not None
    assert judge("keywords:existence", {"keywords": ("café",)}, f"{request}\n\nRosa.", prompt) is not None
    assert judge("detectable_format:title", {}, f"{request}\n\n<<Rosa>>", prompt) is None
    assert judge("detectable_format:title", {}, f"{request}\n\nRosa", prompt) is not None
    assert judge("language:response_language", {"language": "de"}, f"{request}\n\n{GERMAN}", prompt) is None
    assert judge("language:response_language", {"language": "de"}, f"{request}\n\n{GERMAN}", request) is not None


def test_a_title_that_the_prompt_only_shows_as_an_example_is_none() -> None:
    assert judge("detectable_format:title", {}, "<<title>>\nText.", "Add a title, i.e. <<title>>.") is not None
    assert judge("detectable_format:title", {}, "<<kotlin>>\nText.", "Add a title, such as <<kotlin>>.") is None


def test_more_than_asked_is_right_where_the_prompt_says_at_least() -> None:
    args, text = {"section_spliter": "Day", "num_sections": 2}, "Day 1\nOne.\nDay 2\nTwo.\nDay 3\nThree."
    assert judge("detectable_format:multiple_sections", args, text, "Write 2 sections, at least 3 words.") is not None
    assert judge("detectable_format:multiple_sections", args, text, "Write at least two sections.") is None
    paragraphs = "One.\n***\nTwo.\n***\nThree."
    assert judge("length_constraints:number_paragraphs", {"num_paragraphs": 2}, paragraphs, "2 or more parts.") is None
    assert judge("length_constraints:number_paragraphs", {"num_paragraphs": 4}, paragraphs, "At least 4 parts.")


def test_each_of_two_responses_may_have_the_sections() -> None:
    trip = "Day 1\nSea.\nDay 2\nHills."
    args = {"section_spliter": "Day", "num_sections": 2}
    assert judge("detectable_format:multiple_sections", args, f"{trip}\n******\n{trip}") is None
    assert judge("detectable_format:multiple_sections", args, f"{trip}\n******\nDay 1\nSea.") is not None


def test_only_the_answer_where_the_prompt_says_just() -> None:
    kind, prompt = (
        "detectable_format:constrained_response",
        'You should just say "My answer is yes." or "My answer is no."',
    )
    assert judge(kind, {}, '"My answer is yes."', prompt) is None
    assert judge(kind, {}, "My answer is yes. Of course.", prompt) is not None


WITH_WORDS = [
    "combination:two_responses",
    "detectable_format:json_format",
    "detectable_format:title",
    "startend:quotation",
]
TEXTS = st.one_of(
    st.text(max_size=200),
    st.lists(
        st.sampled_from(
            ["*", "***", "******", '"', "\n", "\n\n", " ", "P.S.", "Day 1", "<<", ">>", "[", "]", "a", "É", "```"]
        ),
        max_size=30,
    ).map("".join),
)


@settings(max_examples=150, deadline=None)
@given(TEXTS, TEXTS)
def test_no_kind_raises_on_any_text_and_none_takes_one_without_words_for_content(text: str, prompt: str) -> None:
    for kind, args, *_ in CASES:
        assert judge(kind, args, text, f"repeat {prompt}") != ""
    wordless = "".join(character for character in text if not words(character))
    for kind in WITH_WORDS:
        assert judge(kind, {}, wordless) is not None
