"""The kinds of IFBench that count and compare words: what each accepts, what it refuses, what it cannot be asked."""

from __future__ import annotations

from time import perf_counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rlpt.verifiers.constraint_kinds.answer import Answer
from rlpt.verifiers.constraint_kinds.ifbench.counting_kinds import COUNTING
from rlpt.verifiers.constraint_kinds.text import words

KEYWORDS = {"keyword1": "door", "keyword2": "bread", "keyword3": "blue", "keyword4": "lamp", "keyword5": "river"}
COUNTED = "door" + " bread" * 2 + " blue" * 3 + " lamp" * 5 + " river" * 7
PALINDROMES = "Radar, level, kayak, civic, rotor, refer, madam, stats, tenet"
REFERENCE = "the cat sat on the mat and slept"

CASES: list[tuple[str, dict[str, Any], str, bool]] = [
    ("count:word_count_range", {"min_words": 3.0, "max_words": 4.0}, "I don't know.", True),
    ("count:word_count_range", {"min_words": 3, "max_words": 4}, "1. A well-known\n2. old man", True),
    ("count:word_count_range", {"min_words": 3.0, "max_words": 4.0}, "Don't go.", False),
    ("count:word_count_range", {"min_words": 3.0, "max_words": 4.0}, "One two three four five.", False),
    ("count:unique_word_count", {"N": 3.0}, "One two three.", True),
    ("count:unique_word_count", {"N": 3}, "One, one two two three.", True),
    ("count:unique_word_count", {"N": 3}, "One two ONE two.", False),
    ("count:unique_word_count", {"N": 3}, "One - two & one.", False),
    ("count:conjunctions", {"small_n": 3.0}, "I came and saw, but he left or hid.", True),
    ("count:conjunctions", {"small_n": 2}, "We stayed, for it rained, yet we sang.", True),
    ("count:conjunctions", {"small_n": 1}, "He fled, for the wolf had come.", True),
    ("count:conjunctions", {"small_n": 1}, "It rained, so we left.", True),
    ("count:conjunctions", {"small_n": 1}, "A simple yet good plan.", True),
    ("count:conjunctions", {"small_n": 2}, "I came and saw. And I won and left, and that is all.", False),
    ("count:conjunctions", {"small_n": 1}, "For example, this is so good for me that he has yet to leave.", False),
    ("count:conjunctions", {"small_n": 1}, "Conjunctions: and, but, or, so, yet.", False),
    ("count:conjunctions", {"small_n": 1}, 'The words "and" plus "but" are short.', False),
    ("count:conjunctions", {"small_n": 1}, "Thanks, so much was lost.", False),
    ("count:conjunctions", {"small_n": 1}, "Not yet, for now.", False),
    ("count:person_names", {"N": 3.0}, "Emma's friends are Liam and AVA.", True),
    ("count:person_names", {"N": 1}, "With Grace-like calm.", True),
    ("count:person_names", {"N": 2}, "Emma met Emma.", False),
    ("count:person_names", {"N": 1}, "Available leopards show grace; Milo knows.", False),
    ("count:numbers", {"N": 3.0}, "Take 1,000 of 3.14 and 1/2.", True),
    ("count:numbers", {"N": 2}, "From 2010-2015.", True),
    ("count:numbers", {"N": 2}, "1. One.\n2. Two.", True),
    ("count:numbers", {"N": 3}, "1,2,3", True),
    ("count:numbers", {"N": 0}, "None here, only two.", True),
    ("count:numbers", {"N": 1}, "Version 3.1.2 is out.", True),
    ("count:numbers", {"N": 1}, "From 2010-2015.", False),
    ("count:numbers", {"N": 3}, "Three 1 2 and four.", False),
    ("count:punctuation", {}, "Well: yes, no; go! Why? What?! End.", True),
    ("count:punctuation", {}, "All of them: . , ! ? ; : !?", True),
    ("count:punctuation", {}, "Well: yes, no; go! Why? What\u203d End.", True),
    ("count:punctuation", {}, "Well: yes, no; go! Why? End.", False),
    ("count:punctuation", {}, "Well: yes, no; why?! What?! End.", False),
    ("count:punctuation", {}, "At 10:30, no; go! Why? What?! End.", False),
    ("count:words_japanese", {"N": 3.0}, "I like 犬 and also ねこ today.", True),
    ("count:words_japanese", {"N": 2}, "Wear Tシャツ.", True),
    ("count:words_japanese", {"N": 3}, "I like 犬 and ねこ too.", False),
    ("count:words_japanese", {"N": 3}, "I like 3 dogs.", False),
    ("count:words_japanese", {"N": 3}, "I 犬", False),
    ("count:words_japanese", {"N": 1}, "helloの", False),
    ("count:pronouns", {"N": 3.0}, "I'm here and she's with them.", True),
    ("count:pronouns", {"N": 3}, "Pronouns: she/her/hers.", True),
    ("count:pronouns", {"N": 2}, "Someone knows us.", True),
    ("count:pronouns", {"N": 1}, "The US has IT, i.e. a hermit.", False),
    ("count:pronouns", {"N": 3}, "He sees this and that man and him.", False),
    ("count:keywords_multiple", KEYWORDS, COUNTED, True),
    ("count:keywords_multiple", KEYWORDS, COUNTED.upper() + " doors lamps", True),
    ("count:keywords_multiple", KEYWORDS, COUNTED + " river", False),
    ("count:keywords_multiple", KEYWORDS, COUNTED.replace("door", "doors"), False),
    ("ratio:stop_words", {"percentage": 50.0}, "The cat, the dog.", True),
    ("ratio:stop_words", {"percentage": 50}, "Don't panic.", True),
    ("ratio:stop_words", {"percentage": 49}, "The cat, the dog.", False),
    ("ratio:stop_words", {"percentage": 60}, "Don't you dare.", False),
    ("ratio:stop_words", {"percentage": 60}, "...", False),
    ("ratio:sentence_type", {}, "It rains. Is it cold? We left.", True),
    ("ratio:sentence_type", {}, "# Rain\nDr. Smith left. He ran! Why?! Rain fell.", True),
    ("ratio:sentence_type", {}, "It rains. Is it cold?", False),
    ("ratio:sentence_type", {}, "A heading alone", False),
    ("ratio:sentence_balance", {}, "It rains. Is it cold? We left!", True),
    ("ratio:sentence_balance", {}, '"It rains." What?! **Run!**', True),
    ("ratio:sentence_balance", {}, "It rains. Is it cold? We left.", False),
    ("ratio:sentence_balance", {}, "A heading alone", False),
    ("ratio:overlap", {"reference_text": REFERENCE, "percentage": 100.0}, "The cat sat on the mat.", True),
    ("ratio:overlap", {"reference_text": REFERENCE, "percentage": 48}, "The cat sat on it.\nNo", True),
    ("ratio:overlap", {"reference_text": REFERENCE, "percentage": 48}, "The cat sat on the mat.", False),
    ("ratio:overlap", {"reference_text": REFERENCE, "percentage": 47}, "The cat sat on it.\nNo", False),
    ("ratio:overlap", {"reference_text": REFERENCE, "percentage": 0}, "The cat", False),
    ("ratio:overlap", {"reference_text": "abcd", "percentage": 100, "unit": "characters"}, "abc", True),
    ("ratio:overlap", {"reference_text": "abcd", "percentage": 100, "unit": "characters"}, "abd", False),
    ("ratio:sentence_words", {}, "We eat fish. Cats run on. Dogs sit up.", True),
    ("ratio:sentence_words", {}, "Ann is here. Bob was gone! Eve ate more?", False),
    ("ratio:sentence_words", {}, "Ann is here. Bob has won! Who ate it?!", True),
    ("ratio:sentence_words", {}, "We eat fish. We run fast. Dogs sit up.", False),
    ("ratio:sentence_words", {}, "We eat fish. Cats run on.", False),
    ("words:alphabet", {}, "A big cat. Dogs eat food.", True),
    ("words:alphabet", {}, "Don't - \u00c9mile fears.", True),
    ("words:alphabet", {}, "Zooming around back.", True),
    ("words:alphabet", {}, "A big dog.", False),
    ("words:alphabet", {}, "A big 3 dogs.", False),
    ("words:alphabet", {}, "A", False),
    ("words:vowel", {}, "The eel eked out.", True),
    ("words:vowel", {}, "Caf\u00e9 fans at ease.", True),
    ("words:vowel", {}, "The eel eked out fish.", False),
    ("words:vowel", {}, "The eel.\nThe hen.", False),
    ("words:consonants", {}, "This employs consonant clusters.", True),
    ("words:consonants", {}, "They don't - cry.", True),
    ("words:consonants", {}, "My cluster.", False),
    ("words:consonants", {}, "Clusters 12 stand.", False),
    ("words:palindrome", {}, PALINDROMES + ", and deed'd-deed'd rotator.", True),
    ("words:palindrome", {}, PALINDROMES + " with REDDER.", True),
    ("words:palindrome", {}, PALINDROMES + " and noon.", False),
    ("words:palindrome", {}, PALINDROMES + " and level aaaaa 12321.", False),
    ("words:prime_lengths", {}, "Prime numbers are in.", True),
    ("words:prime_lengths", {}, "Aren't hy-phens it's?", True),
    ("words:prime_lengths", {}, "Prime numbers are not here.", False),
    ("words:prime_lengths", {}, "I am.", False),
    ("words:repeats", {"small_n": 2.0}, "Rain, rain, go away from the train.", True),
    ("words:repeats", {"small_n": 1}, "Don't do it.", True),
    ("words:repeats", {"small_n": 2}, "Rain, rain, RAIN.", False),
    ("words:repeats", {"small_n": 1}, "The end of the day.", False),
    ("words:odd_even_syllables", {}, "Children have little to regret. They enjoy the sunshine.", True),
    ("words:odd_even_syllables", {}, "Every business needs people.", True),
    ("words:odd_even_syllables", {}, "I didn't know people.", True),
    ("words:odd_even_syllables", {}, "Children have little today.", False),
    ("words:odd_even_syllables", {}, "Every cat.", True),
    ("words:odd_even_syllables", {}, "Every table.", True),
    ("words:odd_even_syllables", {}, "Rain falls.", False),
    ("words:odd_even_syllables", {}, "Rain 5 falls.", False),
    ("words:odd_even_syllables", {}, "Rain", False),
    ("words:last_first", {}, "This feels odd. Odd is this test.", True),
    ("words:last_first", {}, "We must *work*.\n\nWork is fun! Fun ends.", True),
    ("words:last_first", {}, "This feels odd. Oddly so.", False),
    ("words:last_first", {}, "This feels odd.", False),
    ("words:paragraph_last_first", {}, "This ends with this.\n\n***\nAnother is another!", True),
    ("words:paragraph_last_first", {}, "- Rain is rain.", True),
    ("words:paragraph_last_first", {}, "This ends with this. Another is another.", False),
    ("words:paragraph_last_first", {}, "Title\nThis ends with this.", False),
    ("words:no_consecutive", {}, "This words, though.", True),
    ("words:no_consecutive", {}, "In 2020 20 men left.", True),
    ("words:no_consecutive", {}, "Big Bob left.", False),
    ("words:no_consecutive", {}, "\u00c9mile eats. Nothing.", False),
    ("words:keywords_specific_position", {"keyword": "giggle", "n": 2, "m": 5}, "Well. We, too, giggle.", False),
    ("words:keywords_specific_position", {"keyword": "giggle", "n": 2, "m": 3}, "Well. We too, Giggle.", True),
    ("words:keywords_specific_position", {"keyword": "giggle", "n": 2, "m": 3}, "Dr. Who ran. We, too, giggle.", True),
    ("words:keywords_specific_position", {"keyword": "giggle", "n": 2, "m": 3}, "Well. We, too, giggles.", False),
    ("words:keywords_specific_position", {"keyword": "giggle", "n": 2, "m": 3}, "We too giggle.", False),
    ("words:words_position", {"keyword": "vibrant"}, "A vibrant town is vibrant here.", True),
    ("words:words_position", {"keyword": "vibrant"}, "One Vibrant day.", True),
    ("words:words_position", {"keyword": "vibrant"}, "A vibrant town is vibrant.", False),
    ("words:words_position", {"keyword": "vibrant"}, "Vibrant towns are vibrant now.", False),
]

STARTS = [
    "Explain it.", "Let's go.", "Don't worry.", "Building a house is hard.", "Given a graph, we show this.",
    "Based on the text, no.", "**Imagine** a world.", '"Run!" he said.', "Plan your day.", "Is it true?",
    "Will you come?", "Rethink design.", "Uses the fact.", "Dying is easy.", "Answer carefully.", "Thank you.",
    "Picture this:", "Consider:", "1. Write it down.",
]  # fmt: skip
NO_STARTS = [
    "This is.", "The dog runs.", "Plan B.", "Help is near.", "Use of force.", "Answer: 4", "Certainly! Here.",
    "Morning comes.", "String theory.", "Meeting notes.", "Will Smith.", "May 2020.", "Advanced topics.",
    "Love is blind.", "# Introduction\nRun.", "Something is up.", "Uses of water.", "To run is good.", "Please run.",
]  # fmt: skip

REFUSED: list[tuple[str, dict[str, Any]]] = [
    ("count:word_count_range", {"min_words": -1, "max_words": 5}),
    ("count:word_count_range", {"min_words": 6, "max_words": 5}),
    ("count:word_count_range", {"min_words": 0, "max_words": 0}),
    ("count:unique_word_count", {"N": 0}),
    ("count:unique_word_count", {"N": 2.5}),
    ("count:unique_word_count", {"N": float("nan")}),
    ("count:conjunctions", {"small_n": 8}),
    ("count:person_names", {"N": 51}),
    ("count:numbers", {"N": -1}),
    ("count:words_japanese", {"N": 0}),
    ("count:pronouns", {"N": 0}),
    ("count:keywords_multiple", {**KEYWORDS, "keyword1": " "}),
    ("count:keywords_multiple", {**KEYWORDS, "keyword1": "Bread"}),
    ("ratio:stop_words", {"percentage": 101}),
    ("ratio:overlap", {"reference_text": "two words", "percentage": 50}),
    ("ratio:overlap", {"reference_text": REFERENCE, "percentage": -1}),
    ("ratio:overlap", {"reference_text": REFERENCE, "percentage": 5, "unit": "letters"}),
    ("words:repeats", {"small_n": 0}),
    ("words:keywords_specific_position", {"keyword": "", "n": 1, "m": 1}),
    ("words:keywords_specific_position", {"keyword": "word", "n": 0, "m": 1}),
    ("words:keywords_specific_position", {"keyword": "word", "n": 1, "m": 0}),
    ("words:words_position", {"keyword": "two words"}),
]

ARGUMENTS = {kind: args for kind, args, _, satisfied in CASES if satisfied} | {"words:start_verb": {}}
HARD_TEXTS = [
    "1,111" * 20_000,
    "1" * 100_000,
    "a" * 100_000,
    "a-" * 50_000,
    "for " * 25_000,
    "?!" * 50_000,
    ", for a" * 14_000,
]


def failure(kind: str, args: dict[str, Any], text: str) -> str | None:
    constraint = COUNTING[kind](**args)
    reason: str | None = constraint.failure(Answer.read(text, []))
    return reason


@pytest.mark.parametrize(("kind", "args", "text", "satisfied"), CASES)
def test_a_text_is_judged_by_what_the_prompt_asks(kind: str, args: dict[str, Any], text: str, satisfied: bool):
    reason = failure(kind, args, text)
    assert (reason is None) == satisfied, reason
    assert reason is None or reason.strip()


@pytest.mark.parametrize("text", STARTS)
def test_texts_that_start_with_a_verb(text: str):
    assert failure("words:start_verb", {}, text) is None


@pytest.mark.parametrize("text", NO_STARTS)
def test_texts_that_start_with_another_word(text: str):
    assert failure("words:start_verb", {}, text)


@pytest.mark.parametrize(("kind", "args"), REFUSED)
def test_arguments_that_cannot_be_are_refused(kind: str, args: dict[str, Any]):
    with pytest.raises(ValueError, match=r"\w+ \w+"):
        COUNTING[kind](**args)


def test_every_kind_has_cases_of_both_outcomes():
    for kind in COUNTING.keys() - {"words:start_verb"}:
        outcomes = [satisfied for name, _, _, satisfied in CASES if name == kind]
        assert min(outcomes.count(True), outcomes.count(False)) >= 2, kind


@pytest.mark.parametrize("kind", sorted(COUNTING))
def test_a_text_without_words_satisfies_nothing_but_the_absence_of_numbers(kind: str):
    args = {"N": 1} if kind == "count:numbers" else ARGUMENTS[kind]
    for text in ("", "...", "--- ***", "- "):
        assert failure(kind, args, text)


@settings(max_examples=150, deadline=None)
@given(st.text() | st.text(alphabet="aeyst'-\u0301\u2019 .?!,\n1/\u00df\u30a2\u72ac", max_size=60))
def test_no_text_makes_a_kind_raise(text: str):
    for kind, args in ARGUMENTS.items():
        reason = failure(kind, args, text)
        assert reason is None or reason


@pytest.mark.parametrize("kind", sorted(COUNTING))
def test_the_time_grows_with_the_length_of_the_text_and_not_with_its_square(kind: str):
    constraint = COUNTING[kind](**ARGUMENTS[kind])

    def seconds(share: int) -> float:
        start = perf_counter()
        for text in HARD_TEXTS:
            part = text[: len(text) // share]
            words(part)  # as slow as reading a text once: kinds that fail at once are too fast to measure
            constraint.failure(Answer.read(part, []))
        return perf_counter() - start

    quarter, whole = min(seconds(4) for _ in range(2)), seconds(1)
    assert whole < 12 * quarter
