"""IFBench kinds about the look of the whole answer: `format:` without lists, quotation marks and emoji."""

# ruff: noqa: SIM905 -- lists of words read better as text.

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise

from rlpt.verifiers.constraint_kinds.answer import BULLET, Answer
from rlpt.verifiers.constraint_kinds.text import normalize, sentences, words

BRACKETS = {")": "(", "]": "[", "}": "{"}
NESTING = 5
TAB_WIDTH = 4
OPTION_MARKS = "\"'*_`.!?,;: "
PARTS = ("My Answer:", "My Conclusion:", "Future Outlook:")
UNFILLED = re.compile(r"\[(?:answer|conclusion|outlook)\]", flags=re.IGNORECASE)
WORD_BREAK = re.compile(r"\s+|[;!?\u2014\u2013\u2026]+|,(?!\d)")
ADDRESS = re.compile(r"(?:https?://|www\.)\S+|(?<!\S)[^\s@]+@\S+|`[^`\n]*`")
MINOR_WORDS = frozenset(
    "a an the and but or nor for so yet as at by if in of off on out per than to up via vs v into onto over upon from "
    "with like near past amid down".split()
)
"""Need no capital in a title: articles, conjunctions, prepositions of up to four letters."""


@dataclass(frozen=True, slots=True)
class NestedParentheses:
    """Brackets nested at least five deep, each closed by its own kind.

    The reference is content when the innermost pair of five is closed.
    """

    def failure(self, answer: Answer) -> str | None:
        """A bracket that closes another kind breaks off all that are open."""
        deepest = 0
        stack: list[tuple[str, int]] = []  # bracket, depth of what is closed inside it
        for character in answer.text:
            if character in "([{":
                stack.append((character, 0))
            elif character in BRACKETS and stack:
                bracket, inner = stack.pop()
                if bracket != BRACKETS[character]:
                    stack.clear()
                    continue
                deepest = max(deepest, inner + 1)
                if stack:
                    stack[-1] = (stack[-1][0], max(stack[-1][1], inner + 1))
        return None if deepest >= NESTING else f"brackets nest {deepest} deep, not {NESTING}"


@dataclass(frozen=True, slots=True)
class OneOption:
    """The answer is one of `options` and nothing else; they are parted by `/`, by commas or by the word "or".

    Options that are letters, such as `a)`, must stand as given; others in any case, with any marks around them. The
    reference parts options at each "or", also inside a word.
    """

    options: str

    def __post_init__(self) -> None:
        options = _options(self.options)
        if len(options) < 2 or not all(map(words, options)):
            raise ValueError(f"{self.options!r} are not two or more options")

    def failure(self, answer: Answer) -> str | None:
        """White space between words may differ."""
        options = _options(normalize(self.options))
        if all(len("".join(words(option))) == 1 for option in options):
            return None if answer.text in options else f"none of {self.options}"
        given = " ".join(answer.text.strip(OPTION_MARKS + "\n").casefold().split())
        return None if given in {option.strip(OPTION_MARKS).casefold() for option in options} else f"not {self.options}"


@dataclass(frozen=True, slots=True)
class WordPerLine:
    """At least two words, and no line with more than one.

    The reference compares sums, accepts an empty text, and takes `one,two` for one word.
    """

    def failure(self, answer: Answer) -> str | None:
        """Words are parted by white space or a mark such as a comma; list marks are no words."""
        lines = BULLET.sub("", answer.text).splitlines()
        counts = [sum(bool(words(part)) for part in WORD_BREAK.split(line)) for line in lines]
        if max(counts, default=0) > 1:
            return f'more than one word in "{lines[counts.index(max(counts))][:40]}"'
        return None if sum(counts) > 1 else "fewer than two words"


@dataclass(frozen=True, slots=True)
class IndentStairs:
    """At least two lines, each indented further than the one before.

    Empty lines and code fences do not count. The reference skips some lines, and accepts a single one.
    """

    def failure(self, answer: Answer) -> str | None:
        """A tab reaches to the next multiple of four."""
        lines = [line.expandtabs(TAB_WIDTH) for line in answer.text.split("\n")]
        lines = [line for line in lines if line.strip() and not line.lstrip().startswith("```")]
        if len(lines) < 2:
            return "fewer than two lines"
        indents = [len(line) - len(line.lstrip()) for line in lines]
        for number, (before, indent) in enumerate(pairwise(indents), start=2):
            if indent <= before:
                return f"line {number} is indented by {indent} after {before}"
        return None


@dataclass(frozen=True, slots=True)
class TitleCase:
    """Every major word starts with a capital, and so does the first word of each sentence.

    Articles, conjunctions and short prepositions may be small inside a sentence. Single letters, code and addresses are
    no words here. The reference refuses any small word and accepts a text all in capitals.
    """

    def failure(self, answer: Answer) -> str | None:
        """Words of scripts without cases do not count; at least one word must show the title case."""
        text = ADDRESS.sub(" ", BULLET.sub("", answer.text))
        titled = shouted = 0
        for sentence in sentences(text):
            for place, word in enumerate(words(sentence)):
                small = word.islower() and word[0].islower() and (len(word) > 1 or word in "ai")
                if small and (place == 0 or word not in MINOR_WORDS):
                    return f'"{word}" is small'
                titled += word[0].isupper() and not word.isupper()
                shouted += len(word) > 1 and word.isupper()
        return None if titled > shouted else "not in title case"


@dataclass(frozen=True, slots=True)
class OutputTemplate:
    """The labels of `PARTS`, each once, in their order and each with words behind it; nothing before the first one.

    Emphasis around a label is looked past. The reference looks only whether the labels occur.
    """

    def failure(self, answer: Answer) -> str | None:
        """A part that still holds the template's own `[answer]` is not filled."""
        rest = answer.text.lstrip("*_# ")
        if not rest.startswith(PARTS[0]):
            return f'does not start with "{PARTS[0]}"'
        for label in PARTS:
            if rest.count(label) != 1:
                return f'"{label}" does not stand once in its place'
            before, rest = rest.split(label)
            if label != PARTS[0] and not words(UNFILLED.sub("", before)):
                return f'nothing before "{label}"'
        return None if words(UNFILLED.sub("", rest)) else f'nothing behind "{PARTS[-1]}"'


@dataclass(frozen=True, slots=True)
class NoWhitespace:
    """No white space inside the answer, which has a word; the reference accepts an empty one."""

    def failure(self, answer: Answer) -> str | None:
        """White space around the answer is not part of it."""
        if not words(answer.text):
            return "no word"
        return "white space" if any(map(str.isspace, answer.text)) else None


def _options(text: str) -> list[str]:
    parts = text.split("/") if "/" in text else re.split(r"\s*,\s*(?:or\s+)?|\s+or\s+", text.strip())
    return [part.strip() for part in parts]
