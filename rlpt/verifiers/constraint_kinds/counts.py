"""Kinds that count: words, sentences, paragraphs, bullets, placeholders."""

from __future__ import annotations

import re
from dataclasses import dataclass

from rlpt.verifiers.constraint_kinds.answer import Answer
from rlpt.verifiers.constraint_kinds.text import bullets, count_phrase, words

PLACEHOLDER = re.compile(r"\[([^\[\]\n]*)\]")


@dataclass(frozen=True, slots=True)
class WordCount:
    """From `min` to `max` words; a title and list marks do not count."""

    min: int = 0
    max: int | None = None

    def __post_init__(self) -> None:
        _check_range(self.min, self.max)

    def failure(self, answer: Answer) -> str | None:
        """Compare the number of words with the range."""
        return _outside(len(answer.words), self.min, self.max, "words")


@dataclass(frozen=True, slots=True)
class SentenceCount:
    """From `min` to `max` sentences; an item of a list is at least one."""

    min: int = 0
    max: int | None = None

    def __post_init__(self) -> None:
        _check_range(self.min, self.max)

    def failure(self, answer: Answer) -> str | None:
        """Compare the number of sentences with the range."""
        return _outside(len(answer.sentences), self.min, self.max, "sentences")


@dataclass(frozen=True, slots=True)
class ParagraphCount:
    """From `min` to `max` paragraphs, parted by empty lines."""

    min: int = 0
    max: int | None = None

    def __post_init__(self) -> None:
        _check_range(self.min, self.max)

    def failure(self, answer: Answer) -> str | None:
        """Paragraphs without a word do not count."""
        count = sum(bool(words(paragraph)) for paragraph in re.split(r"\n\s*\n", answer.text))
        return _outside(count, self.min, self.max, "paragraphs")


@dataclass(frozen=True, slots=True)
class BulletCount:
    """From `min` to `max` lines that start with `-`, `*` or `•`, each with words."""

    min: int
    max: int | None = None

    def __post_init__(self) -> None:
        _check_range(self.min, self.max)

    def failure(self, answer: Answer) -> str | None:
        """Bullets without a word do not count."""
        return _outside(sum(bool(words(text)) for text in bullets(answer.text)), self.min, self.max, "bullets")


@dataclass(frozen=True, slots=True)
class PlaceholderCount:
    """At least `min` different placeholders in square brackets with a word inside, such as `[name]`."""

    min: int

    def failure(self, answer: Answer) -> str | None:
        """Empty and repeated brackets do not count."""
        found = {text.strip().casefold() for text in PLACEHOLDER.findall(answer.text) if words(text)}
        return _outside(len(found), self.min, None, "different placeholders")


@dataclass(frozen=True, slots=True)
class WordFrequency:
    """`word` stands from `min` to `max` times in the text."""

    word: str
    min: int = 0
    max: int | None = None

    def __post_init__(self) -> None:
        _check_range(self.min, self.max)

    def failure(self, answer: Answer) -> str | None:
        """Whole words, in any case."""
        return _outside(count_phrase(answer.prose, self.word), self.min, self.max, f'times "{self.word}"')


def _outside(count: int, least: int, most: int | None, what: str) -> str | None:
    if count < least:
        return f"{count} {what}, fewer than {least}"
    return f"{count} {what}, more than {most}" if most is not None and count > most else None


def _check_range(least: int, most: int | None) -> None:
    if least < 0 or (most is not None and most < max(least, 0)):
        raise ValueError(f"min={least} and max={most} are no range")
    if least == 0 and most is None:
        raise ValueError("min and max together must exclude something")
