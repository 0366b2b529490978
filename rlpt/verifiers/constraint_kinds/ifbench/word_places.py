"""The kinds of IFBench (arXiv:2507.02833) about which word stands where, and how often: `words:...`."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import pairwise

from rlpt.verifiers.constraint_kinds.answer import Answer
from rlpt.verifiers.constraint_kinds.ifbench.reading import (
    body,
    body_sentences,
    body_words,
    check_whole,
    check_word,
)
from rlpt.verifiers.constraint_kinds.text import folded_words, normalize


@dataclass(frozen=True, slots=True)
class LimitedRepeats:
    """No word stands more than `small_n` times."""

    small_n: float

    def __post_init__(self) -> None:
        check_whole("small_n", self.small_n, 1)

    def failure(self, answer: Answer) -> str | None:
        """In any case; a text without words fails."""
        counts = Counter(folded_words(body(answer)))
        if not counts:
            return "no words"
        word, times = counts.most_common(1)[0]
        return f'{times} times "{word:.40}", more than {self.small_n:g}' if times > self.small_n else None


@dataclass(frozen=True, slots=True)
class LastWordFirstNext:
    """The last word of each sentence is the first of the next. The reference checker accepts a single sentence."""

    def failure(self, answer: Answer) -> str | None:
        """In any case. Headings and items, which end with their line, are sentences too."""
        found = [folded_words(sentence) for sentence in body_sentences(answer)]
        if len(found) < 2:
            return "fewer than two sentences"
        pair = next(((one[-1], other[0]) for one, other in pairwise(found) if one[-1] != other[0]), None)
        return f'"{pair[0]:.40}" is followed by "{pair[1]:.40}"' if pair else None


@dataclass(frozen=True, slots=True)
class ParagraphLastFirst:
    """Each paragraph, a line of its own, ends with the word that it starts with.

    A line without words parts paragraphs, for the reference checker it is one. One word alone is no start and end.
    """

    def failure(self, answer: Answer) -> str | None:
        """In any case."""
        paragraphs = [found for line in body(answer).splitlines() if (found := folded_words(line))]
        if not paragraphs:
            return "no words"
        for found in paragraphs:
            if len(found) < 2:
                return f'a paragraph of the word "{found[0]:.40}" alone'
            if found[0] != found[-1]:
                return f'a paragraph from "{found[0]:.40}" to "{found[-1]:.40}"'
        return None


@dataclass(frozen=True, slots=True)
class KeywordPosition:
    """`keyword` is the `m`-th word of the `n`-th sentence. The reference checker counts commas as words."""

    keyword: str
    n: float
    m: float

    def __post_init__(self) -> None:
        check_word("keyword", normalize(self.keyword))
        check_whole("n", self.n, 1)
        check_whole("m", self.m, 1)

    def failure(self, answer: Answer) -> str | None:
        """In any case."""
        found = body_sentences(answer)
        if len(found) < self.n:
            return f"{len(found)} sentences, fewer than {self.n:g}"
        sentence = folded_words(found[int(self.n) - 1])
        if len(sentence) < self.m:
            return f"{len(sentence)} words in sentence {self.n:g}, fewer than {self.m:g}"
        word = sentence[int(self.m) - 1]
        return None if word == _folded(self.keyword) else f'word {self.m:g} of sentence {self.n:g} is "{word:.40}"'


@dataclass(frozen=True, slots=True)
class WordsPosition:
    """The second word and the last but one are `keyword`. The reference checker counts a full stop as a word."""

    keyword: str

    def __post_init__(self) -> None:
        check_word("keyword", normalize(self.keyword))

    def failure(self, answer: Answer) -> str | None:
        """In any case; three words at least."""
        found = body_words(answer)
        if len(found) < 3:
            return "fewer than three words"
        second, before_last = found[1], found[-2]
        if second.casefold() == before_last.casefold() == _folded(self.keyword):
            return None
        return f'the second word is "{second:.40}", the last but one "{before_last:.40}"'


def _folded(keyword: str) -> str:
    return normalize(keyword).strip().casefold()
