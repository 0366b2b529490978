"""The IFBench kind `format:thesis`, and what a section is."""

from __future__ import annotations

import re
from dataclasses import dataclass

from rlpt.verifiers.constraint_kinds.answer import TITLE, Answer
from rlpt.verifiers.constraint_kinds.text import is_finished, words

HEADING = re.compile(r"#+[ \t].*|<h[1-6]\b[^>]*>.*</h[1-6]>|<(b|strong)>.*</\1>:?", flags=re.IGNORECASE)
HEADING_END = re.compile(r"</h[1-6]>", flags=re.IGNORECASE)
TAG = re.compile(r"<[^<>]{0,200}>")
WRAPPERS = re.compile(r"\s*+(?:<(?!(?:i|em)\b)[^<>]{0,200}>\s*+)*+", flags=re.IGNORECASE)
ITALICS = re.compile(r"<(i|em)\b[^<>]{0,200}>", flags=re.IGNORECASE)
LONGEST_TITLE = 12  # words
SHORTEST_THESIS = 2  # words


@dataclass(frozen=True, slots=True)
class ItalicThesis:
    """Every section begins with a statement in `<i>` or `<em>`, and goes on after it.

    Headings part sections; a text without headings is one section. The reference looks for italics once, anywhere.
    """

    def failure(self, answer: Answer) -> str | None:
        """A statement has at least two words."""
        found = _sections(answer.text)
        if not found:
            return "no section"
        reasons = (_reason(section) for section in found)
        return next((f"section {number}: {why}" for number, why in enumerate(reasons, start=1) if why), None)


def _reason(section: str) -> str | None:
    """Why a section does not begin with a thesis in italics, or None."""
    wrappers = WRAPPERS.match(section)
    start = wrappers.end() if wrappers else 0
    opening = ITALICS.match(section, start)
    if opening is None:
        return "does not begin in italics"
    thesis, closing, rest = _split(section[opening.end() :], f"</{opening.group(1)}>")
    if not closing or len(words(TAG.sub(" ", thesis))) < SHORTEST_THESIS:
        return "no whole statement in italics"
    return None if words(TAG.sub(" ", rest)) else "nothing after the thesis"


def _split(text: str, mark: str) -> tuple[str, str, str]:
    """Partition at `mark` in any case of its ASCII letters."""
    match = re.search(re.escape(mark), text, flags=re.IGNORECASE)
    return (text[: match.start()], match.group(), text[match.end() :]) if match else (text, "", "")


def _sections(text: str) -> list[str]:
    """The texts between headings that have words; a title on the first line is a heading too."""
    lines = HEADING_END.sub("\\g<0>\n", text).splitlines()
    parts: list[list[str]] = [[]]
    for number, line in enumerate(lines):
        if _is_heading(line.strip(), first=number == 0):
            parts.append([])
        else:
            parts[-1].append(line)
    return [section for part in parts if words(TAG.sub(" ", section := "\n".join(part)))]


def _is_heading(line: str, first: bool) -> bool:
    if HEADING.fullmatch(line) or TITLE.fullmatch(line):
        return True
    inside = line.rstrip(":").removeprefix("**").removesuffix("**")
    if line.startswith("**") and len(inside) + 4 == len(line.rstrip(":")) and "**" not in inside:
        return True
    return first and "<" not in line and not is_finished(line) and len(words(line)) <= LONGEST_TITLE
