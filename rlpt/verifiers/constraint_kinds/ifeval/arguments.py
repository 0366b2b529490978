"""What the kinds share: relations, checks of their arguments, and what a prompt says of a number."""

from __future__ import annotations

import re
from collections.abc import Sequence

from rlpt.verifiers.constraint_kinds.text import words

AT_LEAST = "at least"
LESS_THAN = "less than"
NUMBERS = "zero one two three four five six seven eight nine ten eleven twelve".split()  # noqa: SIM905


def check_relation(relation: str, bound: int) -> None:
    """Refuse an unknown relation and a bound that every text or none satisfies.

    Raises:
        ValueError: saying what is wrong.
    """
    if relation not in (AT_LEAST, LESS_THAN):
        raise ValueError(f'the relation must be "{AT_LEAST}" or "{LESS_THAN}", not {relation!r}')
    check_count(bound)


def check_count(count: int) -> None:
    """Refuse a count below 1. Raises ValueError."""
    if count < 1:
        raise ValueError(f"a count must be at least 1, not {count}")


def check_phrases(phrases: Sequence[str]) -> None:
    """Refuse a list without phrases, or with one that has nothing to see. Raises ValueError."""
    if not phrases or not all(phrase.strip() for phrase in phrases):
        raise ValueError("an empty list or phrase asks for nothing")


def check_words(phrase: str) -> None:
    """Refuse a phrase without a word. Raises ValueError."""
    if not words(phrase):
        raise ValueError(f"{phrase!r} has no word")


def unmet(count: int, relation: str, bound: int, what: str) -> str | None:
    """Say that `count` of `what` is not `relation` `bound`, or None."""
    holds = count >= bound if relation == AT_LEAST else count < bound
    return None if holds else f"{count} {what}, not {relation} {bound}"


def wrong_count(count: int, wanted: int, what: str, nouns: str, prompt: str) -> str | None:
    """Say that `count` is not `wanted`. More are right where the prompt asks for "at least N" or "N or more" `nouns`.

    `nouns` is a pattern.
    """
    if count == wanted:
        return None
    number = rf"(?:{wanted}|{NUMBERS[wanted]})" if wanted < len(NUMBERS) else str(wanted)
    more = rf"\bat least {number} (?:\w+ )?(?:{nouns})|\b{number}(?:\+| or more) (?:\w+ )?(?:{nouns})"
    if count > wanted and re.search(more, prompt, flags=re.IGNORECASE):
        return None
    return f"{count} {what}, not {wanted}"


def in_one_case(text: str) -> bool:
    """Whether a text has only small letters or only capitals, as another constraint may ask."""
    return text in (text.lower(), text.upper())
