"""IFEval kinds about lengths: `length_constraints:`."""

from __future__ import annotations

import re
from dataclasses import dataclass

from rlpt.verifiers.constraint_kinds.answer import BULLET, Answer
from rlpt.verifiers.constraint_kinds.ifeval.arguments import (
    AT_LEAST,
    check_count,
    check_relation,
    check_words,
    unmet,
    wrong_count,
)
from rlpt.verifiers.constraint_kinds.text import folded_words, is_finished, normalize, words

DIVIDER = re.compile(r"(?<!\S)\*{3}(?!\S)")
BLANK_LINES = re.compile(r"\n[ \t]*\n\s*")
PARTS = "section|paragraph|part|stanza"
SHORTEST = 5  # words of a sentence that lacks its closing mark
GOES_ON = (",", ":", ";")


@dataclass(frozen=True, slots=True)
class NumberSentences:
    """So many sentences.

    Where many are wanted, only those with a closing mark count. Where few are wanted, a line without one counts as
    well, but for a greeting, a heading, and a line of verse that goes on after a comma. The reference takes any
    full stop with a capital behind it, or an unpunctuated text, as its tokenizer does.
    """

    num_sentences: int
    relation: str

    def __post_init__(self) -> None:
        check_relation(self.relation, self.num_sentences)

    def failure(self, answer: Answer) -> str | None:
        """A title and list marks are no part of a sentence."""
        finished = sum(map(is_finished, answer.sentences))
        if self.relation == AT_LEAST:
            return unmet(finished, self.relation, self.num_sentences, "finished sentences")
        open_ended = sum(not is_finished(sentence) and _is_said(sentence) for sentence in answer.sentences)
        return unmet(finished + open_ended, self.relation, self.num_sentences, "sentences")


@dataclass(frozen=True, slots=True)
class NumberWords:
    """So many words; the title counts, list marks do not. The reference takes "don't" and "3.5" for two each."""

    num_words: int
    relation: str

    def __post_init__(self) -> None:
        check_relation(self.relation, self.num_words)

    def failure(self, answer: Answer) -> str | None:
        """Compare the number of words."""
        return unmet(len(words(BULLET.sub("", answer.text))), self.relation, self.num_words, "words")


@dataclass(frozen=True, slots=True)
class NumberParagraphs:
    """Exactly so many paragraphs with words, parted by `***`; more where the prompt says "at least".

    One divider may also stand before the first and behind the last. The reference also parts a text at bold italics
    (`***word***`) and takes paragraphs without words.
    """

    num_paragraphs: int

    def __post_init__(self) -> None:
        check_count(self.num_paragraphs)

    def failure(self, answer: Answer) -> str | None:
        """A divider is three asterisks with white space around."""
        parts = DIVIDER.split(answer.text.removeprefix('"').removesuffix('"'))
        inner = parts[not parts[0].strip() : len(parts) - (not parts[-1].strip())]
        if not all(words(part) for part in inner):
            return "a paragraph without words"
        return wrong_count(len(inner), self.num_paragraphs, "paragraphs parted by ***", PARTS, answer.prompt)


@dataclass(frozen=True, slots=True)
class NthParagraphFirstWord:
    """Exactly `num_paragraphs` paragraphs parted by empty lines; number `nth_paragraph` starts with `first_word`.

    Nothing but paragraphs stands between empty lines: a line of `---` is one without words. The reference takes
    those for paragraphs.
    """

    num_paragraphs: int
    nth_paragraph: int
    first_word: str

    def __post_init__(self) -> None:
        check_count(self.num_paragraphs)
        if not 1 <= self.nth_paragraph <= self.num_paragraphs:
            raise ValueError(f"nth_paragraph must be from 1 to {self.num_paragraphs}, not {self.nth_paragraph}")
        check_words(self.first_word)

    def failure(self, answer: Answer) -> str | None:
        """In any case; marks before the word are looked past, and it may be a possessive."""
        paragraphs = [folded_words(part) for part in BLANK_LINES.split(answer.text)]
        if not all(paragraphs):
            return "a paragraph without words"
        if len(paragraphs) != self.num_paragraphs:
            return f"{len(paragraphs)} paragraphs, not {self.num_paragraphs}"
        first = folded_words(normalize(self.first_word))
        start = paragraphs[self.nth_paragraph - 1][: len(first)]
        if start == first or [*start[:-1], start[-1].removesuffix("'s")] == first:
            return None
        return f'paragraph {self.nth_paragraph} starts with "{" ".join(start)}"'


def _is_said(sentence: str) -> bool:
    """Whether words without a closing mark are a sentence, not a greeting, a heading or a verse that goes on."""
    heading = sentence.startswith("#")
    return not heading and len(words(sentence)) >= SHORTEST and not sentence.rstrip("*_ \t\"'").endswith(GOES_ON)
