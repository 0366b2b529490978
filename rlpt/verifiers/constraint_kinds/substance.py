"""What makes a text an answer at all, whatever else a task asks for.

A policy finds the cheapest text that satisfies a constraint: three words, one word again and again, the prompt
repeated, a list of keywords. These kinds refuse such texts. They hold for English prose of up to a few hundred words.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from rlpt.verifiers.constraint_kinds.answer import Answer
from rlpt.verifiers.constraint_kinds.english import FUNCTION_WORDS
from rlpt.verifiers.constraint_kinds.text import count_phrase, folded_words, is_finished


@dataclass(frozen=True, slots=True)
class NoLoop:
    """Words vary: no stretch of the text is said again and again. Asked of every answer."""

    distinct_pairs: float = 0.75
    same_word: float = 0.2

    def failure(self, answer: Answer) -> str | None:
        """Short texts may use a word twice; longer ones may not live on one."""
        spoken = answer.folded
        if any(first == second == third for first, second, third in zip(spoken, spoken[1:], spoken[2:], strict=False)):
            return "a word stands three times in a row"
        pairs = list(pairwise(spoken))
        if pairs and len(set(pairs)) < self.distinct_pairs * len(pairs):
            return f"only {len(set(pairs))} of {len(pairs)} word pairs differ"
        content = Counter(word for word in spoken if word not in FUNCTION_WORDS)
        word, times = content.most_common(1)[0] if content else ("", 0)
        if times > max(2.0, self.same_word * len(spoken)):
            return f'"{word}" is {times} of {len(spoken)} words'
        return None


@dataclass(frozen=True, slots=True)
class NoEcho:
    """Each sentence is the policy's own: not the request's, nor one of the prompt's example with a word changed.

    Nor is the text made of the prompt's words in another order: some of its content words are new. Asked of every
    answer.
    """

    share: float = 0.5
    length: int = 3
    new_words: float = 0.2

    def failure(self, answer: Answer) -> str | None:
        """Compare the runs of `length` words of each sentence, and the text's words, with those of the prompt."""
        asked = folded_words(answer.prompt)
        known = set(_runs(asked, self.length))
        for sentence in answer.sentences:
            runs = _runs(folded_words(sentence), self.length)
            if runs and sum(run in known for run in runs) >= self.share * len(runs):
                return f'"{sentence[:40]}" repeats the prompt'
        content = {word for word in answer.folded if word not in FUNCTION_WORDS}
        if content and len(content - set(asked)) < self.new_words * len(content):
            return "the text has little but the prompt's words"
        return None


@dataclass(frozen=True, slots=True)
class Prose:
    """Full, finished, different sentences of at least `min_words` words together."""

    min_words: int = 6
    min_sentence_words: int = 3
    function_words: tuple[float, float] = (0.15, 0.8)
    letters: float = 0.75
    longest_word: int = 24

    def failure(self, answer: Answer) -> str | None:
        """Name the first thing that keeps the text from being prose."""
        count = len(answer.words)
        if count < self.min_words:
            return f"{count} words, fewer than {self.min_words}"
        low, high = self.function_words
        share = sum(word in FUNCTION_WORDS for word in answer.folded) / count
        if not low <= share <= high:
            return f"{share:.0%} of the words are function words, so this is no sentence"
        visible = [character for character in answer.prose if not character.isspace()]
        if sum(character.isalpha() for character in visible) < self.letters * len(visible):
            return "too few letters among the characters"
        longest = max((part for word in answer.words for part in word.split("-")), key=len)
        if len(longest) > self.longest_word:
            return f'"{longest[:40]}" is no word'
        for sentence in answer.sentences:
            if len(folded_words(sentence)) < self.min_sentence_words:
                return f'"{sentence}" is too short for a sentence'
            if not is_finished(sentence):
                return f'"...{sentence[-30:]}" is not finished'
        if len({tuple(folded_words(sentence)) for sentence in answer.sentences}) < len(answer.sentences):
            return "a sentence is repeated"
        return None


@dataclass(frozen=True, slots=True)
class OnTopic:
    """At least one of the topic's words stands in the text itself; a title alone does not count."""

    words: tuple[str, ...]

    def failure(self, answer: Answer) -> str | None:
        """Whole words, in any case."""
        if any(count_phrase(answer.prose, word) for word in self.words):
            return None
        return f"none of the topic's words stands in the text: {', '.join(self.words)}"


def _runs(words: Sequence[str], length: int) -> list[tuple[str, ...]]:
    return [tuple(words[start : start + length]) for start in range(len(words) - length + 1)]
