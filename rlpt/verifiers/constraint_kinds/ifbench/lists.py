"""IFBench kinds about lists: `format:list`, `format:sub-bullets`, `format:no_bullets_bullets`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from rlpt.verifiers.constraint_kinds.answer import BULLET, Answer
from rlpt.verifiers.constraint_kinds.text import CLOSERS, normalize, sentences, words

STAR = re.compile(r"[ \t]*\*(?:[ \t]+|(?=[^*\s][^*]*$))(.*)")
"""A space need not follow, unless another `*` does, which makes the two an emphasis."""

DASH = re.compile(r"[ \t]*-(?!-)[ \t]*(.*)")
MARKS = ("- ", "* ", "• ")


@dataclass(frozen=True, slots=True)
class MarkedList:
    """At least two items, each behind `sep` at the start of a line, and no other bullet points.

    The reference takes `sep` anywhere, also without an item behind it and beside other bullet points.
    """

    sep: str

    def __post_init__(self) -> None:
        if not self.sep.strip() or "\n" in self.sep.strip():
            raise ValueError("sep must be a mark of one line")

    def failure(self, answer: Answer) -> str | None:
        """An item may start on the line after its mark."""
        sep = normalize(self.sep).strip()
        items: list[list[str]] = []
        for line in map(str.strip, answer.text.splitlines()):
            if _opens(line, sep):
                items.append([line[len(sep) :]])
            elif line.startswith(MARKS):
                return f'a bullet point that is not "{sep}"'
            elif items:
                items[-1].append(line)
        if len(items) < 2:
            return f'{len(items)} items behind "{sep}"'
        return None if all(any(map(words, item)) for item in items) else f'nothing behind a "{sep}"'


@dataclass(frozen=True, slots=True)
class SubBullets:
    """Bullet points `*`, and for each at least one sub-bullet `-` before the next one.

    The reference accepts a text without bullet points, reads each `*` of an emphasis as one, and a hyphen in a word as
    a sub-bullet.
    """

    def failure(self, answer: Answer) -> str | None:
        """Bullets without a word do not count."""
        counts: list[int] = []
        for line in answer.text.splitlines():
            if _item(STAR, line):
                counts.append(0)
            elif counts and _item(DASH, line):
                counts[-1] += 1
        if not counts:
            return "no bullet point *"
        return f"bullet {counts.index(0) + 1} has no sub-bullet -" if 0 in counts else None


@dataclass(frozen=True, slots=True)
class SentencesThenBullets:
    """At least two sentences that end in a period, then at least two bullet points `*`; more text may follow.

    The reference counts sentences without a period, and fails on empty lines between paragraphs or bullets.
    """

    def failure(self, answer: Answer) -> str | None:
        """Sentences in bullet points do not count, nor do bullets before the second sentence."""
        periods = bullets = 0
        for line in answer.text.splitlines():
            if _item(STAR, line):
                bullets += periods >= 2
            elif not BULLET.match(line):
                periods += _count_periods(sentences(line))
        if periods < 2:
            return f"{periods} sentences that end in a period"
        return None if bullets >= 2 else f"{bullets} bullet points * after two sentences"


def _opens(line: str, sep: str) -> bool:
    """Whether `sep` stands first and ends there: `SEPARATORS` and `---` are other marks."""
    after = line[len(sep) : len(sep) + 1]
    return line.startswith(sep) and after != sep[-1] and not (sep[-1].isalnum() and after.isalnum())


def _item(mark: re.Pattern[str], line: str) -> bool:
    match = mark.match(line)
    return match is not None and bool(words(match.group(1)))


def _count_periods(found: Sequence[str]) -> int:
    """Sentences of more than one word, so that numbering such as "II." is none."""
    ends = (sentence.rstrip(CLOSERS) for sentence in found if len(words(sentence)) > 1)
    return sum(end.endswith(".") and not end.endswith("..") for end in ends)
