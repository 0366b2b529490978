"""Kinds about the look of the whole answer: case, commas, digits, quotation marks, title, postscript."""

from __future__ import annotations

from dataclasses import dataclass

from rlpt.verifiers.constraint_kinds.answer import TITLE, Answer
from rlpt.verifiers.constraint_kinds.text import words

QUOTES = {'"': '"', "“": "”", "«": "»"}
COMMAS = ",\u060c\u3001\uff0c"  # Latin, Arabic, ideographic, full width


@dataclass(frozen=True, slots=True)
class LowerCase:
    """No letter is a capital."""

    def failure(self, answer: Answer) -> str | None:
        """Scripts without cases have no capitals; a text without a letter shows nothing and fails."""
        if not any(character.islower() for character in answer.text):
            return "no small letter"
        capital = next((word for word in words(answer.text) if word != word.lower()), None)
        return f'"{capital}" has a capital letter' if capital else None


@dataclass(frozen=True, slots=True)
class UpperCase:
    """No letter is a small one."""

    def failure(self, answer: Answer) -> str | None:
        """Scripts without cases have no small letters; a text without a letter shows nothing and fails."""
        if not any(character.isupper() for character in answer.text):
            return "no capital letter"
        # The letter ß has no capital in everyday use.
        small = next((word for word in words(answer.text) if any(c.islower() and c != "ß" for c in word)), None)
        return f'"{small}" has a small letter' if small else None


@dataclass(frozen=True, slots=True)
class NoCommas:
    """No comma anywhere."""

    def failure(self, answer: Answer) -> str | None:
        """Commas of other scripts count as well."""
        return "a comma" if any(comma in answer.text for comma in COMMAS) else None


@dataclass(frozen=True, slots=True)
class NoDigits:
    """No digit anywhere."""

    def failure(self, answer: Answer) -> str | None:
        """Digits of any script."""
        return "a digit" if any(character.isdigit() for character in answer.text) else None


@dataclass(frozen=True, slots=True)
class Quotation:
    """The whole answer stands in one pair of double quotation marks."""

    def failure(self, answer: Answer) -> str | None:
        """Marks inside, other than the outer pair, would make it two quotations."""
        text = answer.text
        closing = QUOTES.get(text[:1])
        if closing is None or not text.endswith(closing) or len(text) < 3:
            return "not wrapped in double quotation marks"
        return "more than one quotation" if closing in text[1:-1] else None


@dataclass(frozen=True, slots=True)
class Title:
    """A title in `<< >>`, with words, on the first line and nowhere else."""

    def failure(self, answer: Answer) -> str | None:
        """The marks show where the title ends, so it need not have a line of its own."""
        found = TITLE.findall(answer.text)
        if len(found) != 1 or not words(found[0]):
            return f"{len(found)} titles in << >>"
        return None if answer.text.startswith(found[0]) else "the title does not stand first"


@dataclass(frozen=True, slots=True)
class Postscript:
    """A last line that starts with `marker`, such as `P.S.`, and has words."""

    marker: str = "P.S."

    def failure(self, answer: Answer) -> str | None:
        """Text must stand before it."""
        lines = [line.strip() for line in answer.text.splitlines() if line.strip()]
        if len(lines) < 2 or not lines[-1].casefold().startswith(self.marker.casefold()):
            return f"no last line that starts with {self.marker}"
        return None if words(lines[-1][len(self.marker) :]) else "an empty postscript"
