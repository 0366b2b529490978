"""The IFBench kinds `sentence:`, about the row of sentences.

Pyatkin et al., Generalizing Verifiable Instruction Following, arXiv:2507.02833. Its data writes whole numbers as 8.0,
so counts are `float` here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from rlpt.verifiers.constraint_kinds.answer import Answer
from rlpt.verifiers.constraint_kinds.text import count_phrase, normalize, words


def check_whole(name: str, value: float, least: int) -> None:
    """Raise ValueError unless `value` is a whole number of at least `least`."""
    if not float(value).is_integer() or value < least:
        raise ValueError(f"{name}={value} is not a whole number from {least} on")


@dataclass(frozen=True, slots=True)
class AlliterationIncrement:
    """Every sentence has a longer run of consecutive words with one first letter than the sentence before it.

    The reference adds up all runs of a sentence, and accepts a text without a second sentence.
    """

    def failure(self, answer: Answer) -> str | None:
        """Compare each sentence's longest run with the one before; a lone word is a run of one."""
        return _rising([_longest_run(words(sentence)) for sentence in answer.sentences])


@dataclass(frozen=True, slots=True)
class WordIncrement:
    """Every sentence has exactly `small_n` words more than the sentence before it.

    The reference accepts a single sentence, and fails on none.
    """

    small_n: float

    def __post_init__(self) -> None:
        check_whole("small_n", self.small_n, 1)

    def failure(self, answer: Answer) -> str | None:
        """Count the words of each sentence."""
        counts = [len(words(sentence)) for sentence in answer.sentences]
        if len(counts) < 2:
            return "fewer than two sentences"
        for number, (before, count) in enumerate(pairwise(counts), start=2):
            if count != before + self.small_n:
                return f"sentence {number} has {count} words after one of {before}"
        return None


@dataclass(frozen=True, slots=True)
class KeywordInSentence:
    """`word` stands in sentence `N`, counted from 1, as a whole word and in any case.

    The reference finds "eat" in "great".
    """

    N: float
    word: str

    def __post_init__(self) -> None:
        check_whole("N", self.N, 1)
        if not self.word.strip():
            raise ValueError("an empty word asks for nothing")

    def failure(self, answer: Answer) -> str | None:
        """Look in the one sentence."""
        number = int(self.N)
        if len(answer.sentences) < number:
            return f"{len(answer.sentences)} sentences, fewer than {number}"
        found = count_phrase(answer.sentences[number - 1], normalize(self.word))
        return None if found else f'sentence {number} without "{self.word}"'


def _rising(runs: Sequence[int]) -> str | None:
    if len(runs) < 2:
        return "fewer than two sentences"
    for number, (before, run) in enumerate(pairwise(runs), start=2):
        if run <= before:
            return f"the longest alliteration of sentence {number} has {run} words, after {before}"
    return None


def _longest_run(row: Sequence[str]) -> int:
    """Length of the longest run of words that share their first letter; digits and marks are no letters."""
    longest, run, letter = min(len(row), 1), 0, ""
    for word in row:
        first = word[0].casefold()
        run = run + 1 if first == letter and first.isalpha() else 1
        letter, longest = first, max(longest, run)
    return longest
