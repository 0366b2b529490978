"""IFBench kinds about quotation marks: `format:quotes` and `format:quote_unquote`."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from rlpt.verifiers.constraint_kinds.answer import Answer
from rlpt.verifiers.constraint_kinds.form import QUOTES
from rlpt.verifiers.constraint_kinds.text import folded_words, words

RUN = re.compile("[\"'\u201c\u201d]+")
BEFORE_OPENING = "([{<\u2014\u2013-=/:*_#>|"
AFTER_CLOSING = ")]}>.,;:!?\u2026\u2014\u2013-*_/|"
JOINING = frozenset({"and", "or", "nor", "but", "yet", "so", "then", "also", "plus", "versus", "vs"})
LEVELS = 3


@dataclass(slots=True)
class _Open:
    """A quotation that is not closed yet: its kind of mark, where it starts, how deep others nest in it."""

    mark: str
    start: int
    inner: int = field(default=0)


@dataclass(frozen=True, slots=True)
class NestedQuotes:
    """Three quotations, one in the other, with double and single marks by turns, the innermost with words.

    The reference takes apostrophes for quotation marks.
    """

    def failure(self, answer: Answer) -> str | None:
        """A quotation does not go on over an empty line, so that a forgotten mark does no harm further on."""
        depth = max(map(_depth, re.split(r"\n[ \t]*\n", answer.text)))
        return None if depth >= LEVELS else f"quotations nest {depth} deep, not {LEVELS}"


@dataclass(frozen=True, slots=True)
class ExplainedQuotes:
    """At least one quotation, and behind each, before the next one, words that are not quoted.

    A lone "and" explains nothing. The reference accepts a text without quotations, and such an "and".
    """

    def failure(self, answer: Answer) -> str | None:
        """Double quotation marks, straight or curly, and guillemets; `'"'` is the mark itself and quotes nothing."""
        text = answer.text.replace("'\"'", "")
        at = count = 0
        while (opening := _first_mark(text, at)) is not None:
            closing = text.find(QUOTES[text[opening]], opening + 1)
            if closing < 0:
                return "a quotation that is never closed"
            count += 1
            at = closing + 1
            following = _first_mark(text, at)
            after = folded_words(text[at:following])
            if not set(after) - JOINING:
                return f'nothing explains the quotation "{text[opening + 1 : closing][:40]}"'
        return None if count else "no quotation"


def _first_mark(text: str, start: int) -> int | None:
    """Where the next quotation opens; a straight mark right behind a digit stands for inches."""
    for at in range(start, len(text)):
        if text[at] in QUOTES and not (text[at] == '"' and text[at - 1 : at].isdigit()):
            return at
    return None


def _depth(text: str) -> int:
    """How many quotations stand in each other at most, with other marks from level to level."""
    deepest = 0
    stack: list[_Open] = []
    for run in RUN.finditer(text):
        left, right = text[run.start() - 1 : run.start()], text[run.end() : run.end() + 1]
        for at, mark in enumerate(run.group(), start=run.start()):
            kind = "'" if mark == "'" else '"'
            turn = _turn(mark, left, right, bool(stack) and stack[-1].mark == kind)
            if turn == "open":
                if stack and stack[-1].mark == kind:
                    stack.pop()  # it was no quotation: an apostrophe, or one that nobody closed
                stack.append(_Open(kind, at))
            elif turn == "close":
                deepest = max(deepest, _close(stack, kind, text, at))
    return deepest


def _turn(mark: str, left: str, right: str, is_open: bool) -> str:
    """Whether a mark opens, closes, or is no quotation mark, by what stands on both sides of its run of marks."""
    if mark in "\u201c\u201d":
        return "open" if mark == "\u201c" else "close"
    before = not left or left.isspace() or left in BEFORE_OPENING
    after = not right or right.isspace() or right in AFTER_CLOSING
    if before != after:
        return "open" if before else "close"
    if mark == "'" and not before:
        return ""  # an apostrophe in a word
    return "close" if is_open else "" if mark == "'" else "open"


def _close(stack: list[_Open], kind: str, text: str, at: int) -> int:
    """Close the innermost quotation of a kind and return its depth, 0 where none is open or it holds no word."""
    if len(stack) > 1 and stack[-1].mark != kind == '"':
        stack.pop()  # a single mark in between was an apostrophe
    if not stack or stack[-1].mark != kind:
        return 0
    closed = stack.pop()
    depth = closed.inner + 1
    if not closed.inner and not words(text[closed.start : at]):
        return 0
    if stack:
        stack[-1].inner = max(stack[-1].inner, depth)
    return depth
