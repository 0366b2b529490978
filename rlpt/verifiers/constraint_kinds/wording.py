"""Kinds about which words stand where: included, left out, at the start, at the end."""

from __future__ import annotations

from dataclasses import dataclass

from rlpt.verifiers.constraint_kinds.answer import Answer
from rlpt.verifiers.constraint_kinds.text import count_phrase, normalize, words

WRAPPING = "\"'\u201c\u201d\u2018\u2019\u00ab\u00bb*_ \t\n"


@dataclass(frozen=True, slots=True)
class IncludeWords:
    """Every one of `words` stands in the text; a title does not count."""

    words: tuple[str, ...]

    def __post_init__(self) -> None:
        _check_phrases(self.words)

    def failure(self, answer: Answer) -> str | None:
        """Whole words, in any case."""
        missing = [word for word in self.words if not count_phrase(answer.prose, word)]
        return f"without {', '.join(missing)}" if missing else None


@dataclass(frozen=True, slots=True)
class AvoidWords:
    """None of `words` stands anywhere in the answer."""

    words: tuple[str, ...]

    def __post_init__(self) -> None:
        _check_phrases(self.words)

    def failure(self, answer: Answer) -> str | None:
        """Whole words, in any case."""
        present = [word for word in self.words if count_phrase(answer.text, word)]
        return f"with {', '.join(present)}" if present else None


@dataclass(frozen=True, slots=True)
class StartsWith:
    """The answer starts with `phrase`, in any case; more words follow."""

    phrase: str

    def __post_init__(self) -> None:
        _check_phrases((self.phrase,))

    def failure(self, answer: Answer) -> str | None:
        """A quote or emphasis before the phrase is looked past."""
        text = " ".join(answer.text.lstrip(WRAPPING).split()).casefold()
        phrase = " ".join(normalize(self.phrase).split()).casefold()
        # Counting the phrase in the text's first characters also refuses "artist ..." where "art" is asked for.
        if text.startswith(phrase) and count_phrase(text[: len(phrase) + 3], phrase) and len(text) > len(phrase):
            return None
        return f'starts with "{answer.text[:30]}"'


@dataclass(frozen=True, slots=True)
class EndsWith:
    """The answer ends with `phrase`, in any case; words stand before it."""

    phrase: str

    def __post_init__(self) -> None:
        _check_phrases((self.phrase,))

    def failure(self, answer: Answer) -> str | None:
        """A closing mark that `phrase` lacks, quotes and emphasis are looked past."""
        phrase = " ".join(normalize(self.phrase).split()).casefold()
        text = " ".join(answer.text.split()).casefold().rstrip(WRAPPING)
        if phrase[-1].isalnum():
            text = text.rstrip(".!?\u2026" + WRAPPING)
        before = text[: -len(phrase)]
        if text.endswith(phrase) and words(before) and not (before[-1].isalnum() and phrase[0].isalnum()):
            return None
        return f'ends with "{answer.text[-30:]}"'


def _check_phrases(phrases: tuple[str, ...]) -> None:
    if not phrases or not all(phrase.strip() for phrase in phrases):
        raise ValueError("an empty list or phrase asks for nothing")
