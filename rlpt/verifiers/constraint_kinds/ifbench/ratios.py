"""The kinds of IFBench (arXiv:2507.02833) that compare shares: `ratio:...`. Fields are the dataset's own arguments."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from rlpt.verifiers.constraint_kinds.answer import Answer
from rlpt.verifiers.constraint_kinds.ifbench.lexicon import STOP_WORDS
from rlpt.verifiers.constraint_kinds.ifbench.reading import body, body_sentences, body_words, check_percentage
from rlpt.verifiers.constraint_kinds.text import CLOSERS, folded_words, is_finished, normalize

SLACK = 2  # percentage points that the prompt of ratio:overlap allows
QUESTIONS = "?\u203d\uff1f\u061f"
EXCLAMATIONS = "!\uff01"
UNITS = ("words", "characters")


@dataclass(frozen=True, slots=True)
class StopWordPercentage:
    """At most `percentage` % of the words are stop words. `don't` is one, for the reference checker two."""

    percentage: float

    def __post_init__(self) -> None:
        check_percentage(self.percentage)

    def failure(self, answer: Answer) -> str | None:
        """A text without words has no share."""
        found = [word.casefold() for word in body_words(answer)]
        if not found:
            return "no words"
        share = 100 * sum(word in STOP_WORDS for word in found) / len(found)
        return f"{share:.1f}% stop words, more than {self.percentage:g}%" if share > self.percentage else None


@dataclass(frozen=True, slots=True)
class SentenceTypeRatio:
    """Twice as many statements as questions. No sentence at all is no ratio, for the reference checker it is."""

    def failure(self, answer: Answer) -> str | None:
        """Told by their marks; lines without a closing mark, such as headings, are no sentences."""
        kinds = _kinds(answer)
        statements, questions = kinds["statement"], kinds["question"]
        if questions and statements == 2 * questions:
            return None
        return f"{statements} statements and {questions} questions, not 2:1"


@dataclass(frozen=True, slots=True)
class SentenceBalance:
    """As many statements as questions and as exclamations. No sentence at all is no balance."""

    def failure(self, answer: Answer) -> str | None:
        """Told by their marks; lines without a closing mark, such as headings, are no sentences."""
        kinds = _kinds(answer)
        statements, questions, exclamations = kinds["statement"], kinds["question"], kinds["exclamation"]
        if statements == questions == exclamations > 0:
            return None
        return f"{statements} statements, {questions} questions and {exclamations} exclamations"


@dataclass(frozen=True, slots=True)
class TrigramOverlap:
    """`percentage` % of the answer's different trigrams, give or take two points, stand in `reference_text`.

    A trigram is three words in a row, in any case. The reference checker takes three characters, as they are written,
    white space included; `unit` "characters" does so as well.
    """

    reference_text: str
    percentage: float
    unit: str = "words"

    def __post_init__(self) -> None:
        check_percentage(self.percentage)
        if self.unit not in UNITS:
            raise ValueError(f"unit={self.unit!r} is none of {', '.join(UNITS)}")
        if not self._trigrams(normalize(self.reference_text)):
            raise ValueError("reference_text is shorter than one trigram")

    def failure(self, answer: Answer) -> str | None:
        """An answer shorter than one trigram has no share."""
        own = self._trigrams(answer.text)
        if not own:
            return "shorter than one trigram"
        share = 100 * len(own & self._trigrams(normalize(self.reference_text))) / len(own)
        if self.percentage - SLACK <= share <= self.percentage + SLACK:
            return None
        return f"{share:.1f}% of the trigrams, not {self.percentage:g}%"

    def _trigrams(self, text: str) -> set[tuple[str, ...]]:
        parts = folded_words(text) if self.unit == "words" else list(text)
        return set(zip(parts, parts[1:], parts[2:], strict=False))


@dataclass(frozen=True, slots=True)
class SentenceWords:
    """Three sentences of as many characters each, no word twice. The reference checker ignores the words."""

    def failure(self, answer: Answer) -> str | None:
        """Spaces and marks are characters; words that differ only in case are one."""
        found = body_sentences(answer)
        if len(found) != 3:
            return f"{len(found)} sentences, not 3"
        lengths = [len(sentence) for sentence in found]
        if len(set(lengths)) > 1:
            return f"sentences of {lengths[0]}, {lengths[1]} and {lengths[2]} characters"
        word, times = Counter(folded_words(body(answer))).most_common(1)[0]
        return f'{times} times "{word}"' if times > 1 else None


def _kinds(answer: Answer) -> Counter[str]:
    return Counter(_kind(sentence) for sentence in body_sentences(answer) if is_finished(sentence))


def _kind(sentence: str) -> str:
    """A sentence that ends with `?!` is a question."""
    text = sentence.rstrip().rstrip(CLOSERS)
    marks = text[len(text.rstrip(QUESTIONS + EXCLAMATIONS)) :]
    if any(mark in QUESTIONS for mark in marks):
        return "question"
    return "exclamation" if marks else "statement"
