"""IFEval kinds about words and letters: `keywords:`."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass

from rlpt.verifiers.constraint_kinds.answer import Answer
from rlpt.verifiers.constraint_kinds.ifeval.arguments import LESS_THAN, check_phrases, check_relation, unmet
from rlpt.verifiers.constraint_kinds.ifeval.request import own_text
from rlpt.verifiers.constraint_kinds.text import count_phrase, normalize


@dataclass(frozen=True, slots=True)
class KeywordExistence:
    """Every keyword stands in the response, as a whole word and in any case.

    The reference takes "rate" for found in "separate".
    """

    keywords: tuple[str, ...]

    def __post_init__(self) -> None:
        check_phrases(self.keywords)

    def failure(self, answer: Answer) -> str | None:
        """A title counts as well, a request that is repeated does not."""
        text = own_text(answer)
        missing = [word for word in self.keywords if not count_phrase(text, normalize(word))]
        return f"without {', '.join(missing)}" if missing else None


@dataclass(frozen=True, slots=True)
class KeywordFrequency:
    """The keyword stands so many times in the response, as a whole word and in any case.

    The reference counts it inside other words.
    """

    keyword: str
    frequency: int
    relation: str

    def __post_init__(self) -> None:
        check_phrases((self.keyword,))
        check_relation(self.relation, self.frequency)

    def failure(self, answer: Answer) -> str | None:
        """A title counts as well, a request that is repeated does not."""
        count = count_phrase(own_text(answer), normalize(self.keyword))
        return unmet(count, self.relation, self.frequency, f'times "{self.keyword.strip()}"')


@dataclass(frozen=True, slots=True)
class ForbiddenWords:
    """None of the words stands anywhere in the response, as a whole word and in any case."""

    forbidden_words: tuple[str, ...]

    def __post_init__(self) -> None:
        check_phrases(self.forbidden_words)

    def failure(self, answer: Answer) -> str | None:
        """Other words that contain one are allowed, and so is a request that is repeated as the prompt wants."""
        text = own_text(answer)
        present = [word for word in self.forbidden_words if count_phrase(text, normalize(word))]
        return f"with {', '.join(present)}" if present else None


@dataclass(frozen=True, slots=True)
class LetterFrequency:
    """The letter, or another character such as `#`, stands so many times in the response, in any case.

    Where few are wanted a letter with an accent counts too, so that "thé" is no way around "the"; where many are
    wanted it does not.
    """

    letter: str
    let_frequency: int
    let_relation: str

    def __post_init__(self) -> None:
        if len(normalize(self.letter.strip())) != 1:
            raise ValueError(f"letter must be one character, not {self.letter!r}")
        check_relation(self.let_relation, self.let_frequency)

    def failure(self, answer: Answer) -> str | None:
        """Count the characters; a request that is repeated does not count."""
        letter = normalize(self.letter.strip()).lower()
        text = own_text(answer).lower()
        if self.let_relation == LESS_THAN and letter.isascii():
            text = unicodedata.normalize("NFKD", text)
        return unmet(text.count(letter), self.let_relation, self.let_frequency, f'times "{letter}"')
