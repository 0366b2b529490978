"""IFEval kinds about capitals and small letters: `change_case:`."""

from __future__ import annotations

from dataclasses import dataclass

from rlpt.verifiers.constraint_kinds.answer import Answer
from rlpt.verifiers.constraint_kinds.form import LowerCase, UpperCase
from rlpt.verifiers.constraint_kinds.ifeval.arguments import check_relation, unmet
from rlpt.verifiers.constraint_kinds.ifeval.language import not_in
from rlpt.verifiers.constraint_kinds.text import words


@dataclass(frozen=True, slots=True)
class CapitalWordFrequency:
    """So many words of two or more letters, all of them capitals. The reference counts "I" and "A" as well."""

    capital_frequency: int
    capital_relation: str

    def __post_init__(self) -> None:
        check_relation(self.capital_relation, self.capital_frequency)

    def failure(self, answer: Answer) -> str | None:
        """Acronyms and a title's words count."""
        count = sum(word.isupper() and sum(map(str.isalpha, word)) > 1 for word in words(answer.text))
        return unmet(count, self.capital_relation, self.capital_frequency, "words in capitals")


@dataclass(frozen=True, slots=True)
class EnglishCapital:
    """English without a small letter. A text too short to tell its language by, such as a name, passes for English."""

    def failure(self, answer: Answer) -> str | None:
        """See `form.UpperCase` and `language.not_in`."""
        return UpperCase().failure(answer) or not_in("en", answer.text, wants_evidence=False)


@dataclass(frozen=True, slots=True)
class EnglishLowercase:
    """English without a capital. A text too short to tell its language by, such as a name, passes for English."""

    def failure(self, answer: Answer) -> str | None:
        """See `form.LowerCase` and `language.not_in`."""
        return LowerCase().failure(answer) or not_in("en", answer.text, wants_evidence=False)
