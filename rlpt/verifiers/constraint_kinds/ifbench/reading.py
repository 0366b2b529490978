"""How the counting kinds read an answer and their whole-number arguments."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator

from rlpt.verifiers.constraint_kinds.answer import BULLET, Answer
from rlpt.verifiers.constraint_kinds.text import sentences, words


def body(answer: Answer) -> str:
    """The text without the marks of list items: `-` and `1.` are no words. A title's words count."""
    return BULLET.sub("", answer.text)


def body_words(answer: Answer) -> list[str]:
    """All words of the answer, as written."""
    return words(body(answer))


def body_sentences(answer: Answer) -> list[str]:
    """All sentences of the answer; a line end also ends one."""
    return sentences(body(answer))


def spaced_words(text: str) -> Iterator[tuple[str, str]]:
    """Each word with what stands between it and the one before: spaces, commas, brackets."""
    past = 0
    for word in words(text):
        start = text.index(word, past)
        yield text[past:start], word
        past = start + len(word)


def plain(text: str) -> str:
    """Small letters without accents: `É` reads as `e`."""
    parts = unicodedata.normalize("NFD", text.casefold())
    return "".join(character for character in parts if not unicodedata.category(character).startswith("M"))


def letters(word: str) -> str:
    """Letters and digits of a word, without accents and the apostrophes and hyphens inside: `don't` is `dont`."""
    return "".join(character for character in plain(word) if character.isalnum())


def check_whole(name: str, value: float, least: int, most: int | None = None) -> None:
    """Refuse an argument that is no whole number in a range. Rows of the dataset hold whole numbers as `5.0`.

    Raises:
        ValueError: naming the argument and the range.
    """
    if not float(value).is_integer() or value < least or (most is not None and value > most):
        span = f"from {least} to {most}" if most is not None else f"of at least {least}"
        raise ValueError(f"{name}={value} is no whole number {span}")


def check_percentage(value: float) -> None:
    """Refuse what is no share of a hundred.

    Raises:
        ValueError: naming the value.
    """
    if not 0 <= value <= 100:
        raise ValueError(f"percentage={value} is not from 0 to 100")


def check_word(name: str, value: str) -> None:
    """Refuse a keyword that is not one word.

    Raises:
        ValueError: naming the argument.
    """
    if words(value) != [value.strip()]:
        raise ValueError(f"{name}={value!r} is not one word")
