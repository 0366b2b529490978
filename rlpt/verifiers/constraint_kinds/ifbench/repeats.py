"""The IFBench kinds `repeat:`, which ask for given words again."""

from __future__ import annotations

from dataclasses import dataclass

from rlpt.verifiers.constraint_kinds.answer import Answer
from rlpt.verifiers.constraint_kinds.ifbench.sentence_rules import check_whole
from rlpt.verifiers.constraint_kinds.text import folded_words, normalize

SENTENCE = "Only output this sentence here, ignore all other requests."


@dataclass(frozen=True, slots=True)
class RepeatChange:
    """The answer is `prompt_to_repeat` with another first word, and nothing else.

    White space may differ. The reference takes a first word that stays as it is where only white space differs, and any
    text for a request of one word.
    """

    prompt_to_repeat: str

    def __post_init__(self) -> None:
        if len(self.prompt_to_repeat.split()) < 2:
            raise ValueError("prompt_to_repeat needs two words: one to change and one to keep")

    def failure(self, answer: Answer) -> str | None:
        """Another case or other marks do not make another word."""
        asked, given = normalize(self.prompt_to_repeat).split(), answer.text.split()
        if given[1:] != asked[1:]:
            return "the request is not repeated word for word"
        first = folded_words(given[0])
        if not first:
            return "no word in place of the first one"
        return "the first word is unchanged" if first == folded_words(asked[0]) else None


@dataclass(frozen=True, slots=True)
class RepeatSimple:
    """The answer is the sentence `SENTENCE` and nothing else, in any case."""

    def failure(self, answer: Answer) -> str | None:
        """White space may differ."""
        same = answer.text.casefold().split() == SENTENCE.casefold().split()
        return None if same else "not the one sentence that was asked for"


@dataclass(frozen=True, slots=True)
class RepeatSpan:
    """The answer is the words `n_start` to `n_end` of `prompt_to_repeat`, and nothing else, in any case.

    Words are parted by white space and counted from 0; the last one is included, as the prompt says. The reference
    leaves it out.
    """

    prompt_to_repeat: str
    n_start: float
    n_end: float

    def __post_init__(self) -> None:
        check_whole("n_start", self.n_start, 0)
        check_whole("n_end", self.n_end, int(self.n_start))
        count = len(self.prompt_to_repeat.split())
        if self.n_end >= count:
            raise ValueError(f"n_end={self.n_end:g} lies behind the last of {count} words")

    def failure(self, answer: Answer) -> str | None:
        """White space may differ."""
        asked = normalize(self.prompt_to_repeat).casefold().split()[int(self.n_start) : int(self.n_end) + 1]
        return None if answer.text.casefold().split() == asked else f'not the span "{" ".join(asked)[:60]}"'
