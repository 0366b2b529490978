"""IFBench kinds for one prompt each: `custom:` without tables and lists of places. The prompts have no arguments."""

from __future__ import annotations

import re
import string
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from itertools import pairwise

from rlpt.verifiers.constraint_kinds.answer import Answer
from rlpt.verifiers.constraint_kinds.english import FUNCTION_WORDS
from rlpt.verifiers.constraint_kinds.text import count_phrase, folded_words, words

MULTIPLES = [str(number) for number in range(14, 50, 7)]
NUMBER = re.compile(r"\d+(?:\.\d+)?")
NEGATIVE = re.compile("(?:^|[\\s,;(])[-\u2212]\\d")
QUESTION = re.compile(r"[*_#> \t]*Question\b(?:[ \t]*\d{1,3})?[*_.:)\]; \t-]*(.*)")
OPTION = re.compile(r"[ \t]*(?:[-*•][ \t]+)?\*{0,2}\(?([A-Ea-e])[.):]\*{0,2}[ \t]*(.*)")
ANSWER_KEY = re.compile(r"[*_ \t]*(?:correct )?answer\b", flags=re.IGNORECASE)
LONGEST_KEY = 8  # words
LETTERS = ["a", "b", "c", "d", "e"]
ARTICLES = frozenset({"a", "an", "the"})
AFTER_ARTICLE = frozenset({"us", "most", "very", "only", "other"})
CAREER = (date(1793, 1, 1), date(1815, 6, 18))
DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
KNOWN_BATTLES = (
    "1796-05-10 1796-11-15 1797-01-14 1798-07-21 1800-06-14 1805-12-02 1806-10-14 1807-06-14 1809-05-21 1809-07-05 "
    "1812-09-07 1813-05-02 1813-05-20 1813-08-26 1813-10-16 1815-06-16 1815-06-18"
)
"""Lodi, Arcole, Rivoli, the Pyramids, Marengo, Austerlitz, Jena, Friedland, Aspern-Essling, Wagram, Borodino, Lützen,
Bautzen, Dresden, Leipzig, Ligny, Waterloo: battles whose first day nobody disputes."""


@dataclass(frozen=True, slots=True)
class MultiplesOfSeven:
    """The numbers in the text are 14, 21, 28, 35, 42 and 49, in this order; words may stand around them."""

    def failure(self, answer: Answer) -> str | None:
        """The reference takes 14.21 for two numbers, and -14 for 14."""
        found = NUMBER.findall(answer.text)
        if found == MULTIPLES and not NEGATIVE.search(answer.text):
            return None
        return f"the numbers are {', '.join(found[:8]) or 'none'}"


@dataclass(frozen=True, slots=True)
class ChoiceQuestions:
    """Four questions, each behind "Question" at the start of a line, longer than the one before, with options A to E.

    Nothing stands before the first one; behind the options no more than a short line with the answer. The reference
    lets five options have one letter, and an explanation stand behind them.
    """

    def failure(self, answer: Answer) -> str | None:
        """Questions are compared by their characters, without label and options."""
        questions: list[_Question] = []
        for line in answer.text.splitlines():
            if (label := QUESTION.fullmatch(line)) is not None:
                questions.append(_Question([label.group(1)]))
            elif not questions:
                return "does not start with Question"
            elif not questions[-1].take(line):
                return f'more than a question and options: "{line[:40]}"'
        if len(questions) != 4:
            return f"{len(questions)} questions, not 4"
        for number, question in enumerate(questions, start=1):
            if question.options != LETTERS:
                return f"question {number} has not the options A to E"
        lengths = [len(" ".join(" ".join(question.text).split())) for question in questions]
        return None if all(a < b for a, b in pairwise(lengths)) else "the questions do not get longer"


@dataclass(slots=True)
class _Question:
    text: list[str]
    options: list[str] = field(default_factory=list)

    def take(self, line: str) -> bool:
        """Add a line; False for one that belongs neither to the question nor to its options."""
        option = OPTION.fullmatch(line)
        if option and words(option.group(2)):
            self.options.append(option.group(1).lower())
        elif not self.options:
            self.text.append(line)
        else:
            return not words(line) or (ANSWER_KEY.match(line) is not None and len(words(line)) <= LONGEST_KEY)
        return True


@dataclass(frozen=True, slots=True)
class WordsReversed:
    """A sentence with the bald eagle, its words in reverse order.

    Read backwards, each article must have a word to stand before. The reference looks only for the two words, and so
    accepts sentences in the usual order.
    """

    def failure(self, answer: Answer) -> str | None:
        """Marks and case make no difference."""
        read = folded_words(answer.text)[::-1]
        if not _has_eagle(read) or _has_eagle(read[::-1]):
            return "no bald eagle backwards"
        if len(read) < 4:
            return "no sentence"
        for word, following in pairwise([*read, "of"]):
            if word in ARTICLES and following in FUNCTION_WORDS - AFTER_ARTICLE:
                return f'"{word}" stands before no noun when read backwards'
        return None


@dataclass(frozen=True, slots=True)
class LettersReversed:
    """A sentence with the bald eagle, its letters in reverse order: backwards it reads as English, forwards not.

    The reference accepts any text with the two words backwards in it.
    """

    def failure(self, answer: Answer) -> str | None:
        """Words such as "the" tell which way a text reads."""
        backwards = answer.text[::-1]
        if not count_phrase(backwards, "bald eagle") or count_phrase(answer.text, "bald eagle"):
            return "no bald eagle backwards"
        return None if _english(backwards) > _english(answer.text) else "not a sentence when read backwards"


@dataclass(frozen=True, slots=True)
class AlphabetStory:
    """26 sentences whose first words start with the letters from A to Z."""

    def failure(self, answer: Answer) -> str | None:
        """A title in `<< >>` is no sentence."""
        initials = [words(sentence)[0][0].casefold() for sentence in answer.sentences]
        if len(initials) != 26:
            return f"{len(initials)} sentences, not 26"
        pairs = zip(initials, string.ascii_lowercase, strict=True)
        wrong = next((letter for initial, letter in pairs if initial != letter), None)
        return f"no sentence for {wrong.upper()} in its place" if wrong else None


@dataclass(frozen=True, slots=True)
class BattleDates:
    """Days as YYYY-MM-DD, parted by commas, each once and within Napoleon's campaigns, with the `KNOWN_BATTLES`.

    The reference accepts a single day of his life, a month 00, and 30 February as well as 29.
    """

    def failure(self, answer: Answer) -> str | None:
        """Nothing else may stand in the text."""
        days = [part.strip() for part in answer.text.split(",")]
        wrong = next((day for day in days if not _is_campaign_day(day)), None)
        if wrong is not None:
            return f'"{wrong[:30]}" is no day of his campaigns'
        if len(set(days)) < len(days):
            return "a day stands twice"
        missing = [day for day in KNOWN_BATTLES.split() if day not in days]
        return f"without the battle of {missing[0]}" if missing else None


def _has_eagle(row: Sequence[str]) -> bool:
    return any(pair in {("bald", "eagle"), ("bald", "eagles")} for pair in pairwise(row))


def _english(text: str) -> int:
    return sum(len(word) > 1 and word in FUNCTION_WORDS for word in folded_words(text))


def _is_campaign_day(text: str) -> bool:
    try:
        return DAY.fullmatch(text) is not None and CAREER[0] <= date.fromisoformat(text) <= CAREER[1]
    except ValueError:
        return False
