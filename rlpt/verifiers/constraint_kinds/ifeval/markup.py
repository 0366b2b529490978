"""IFEval kinds about marks in the text: bullets, highlights, sections, titles."""

from __future__ import annotations

import re
from dataclasses import dataclass

from rlpt.verifiers.constraint_kinds.answer import TITLE, Answer
from rlpt.verifiers.constraint_kinds.ifeval.arguments import check_count, check_phrases, in_one_case, wrong_count
from rlpt.verifiers.constraint_kinds.ifeval.request import own_text
from rlpt.verifiers.constraint_kinds.text import bullets, normalize, words

# Emphasis within a line; the inside holds no asterisk, so that each one is looked at a bounded number of times.
HIGHLIGHT = re.compile(r"(?<![*\\])(\*{1,3})(?![\s*])([^*\n]*[^*\s])\1(?!\*)")
TWO_RESPONSES = re.compile(r"(?<!\*)\*{6}(?!\*)")
FOREIGN_BULLET = re.compile(r"^[ \t]*•", flags=re.MULTILINE)
PLACEHOLDER_TITLE = re.compile(r"(?:(?:a|the|my|your)\s+)?title", flags=re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class NumberBulletLists:
    """Exactly so many Markdown bullets with words: lines that start with `*` or `-` and a space.

    The reference counts a divider `---`, a line that starts with `*emphasis*`, and marks without a space.
    """

    num_bullets: int

    def __post_init__(self) -> None:
        check_count(self.num_bullets)

    def failure(self, answer: Answer) -> str | None:
        """`•` is no Markdown."""
        if FOREIGN_BULLET.search(answer.text):
            return "a bullet that is no Markdown"
        count = sum(bool(words(bullet)) for bullet in bullets(answer.text))
        return None if count == self.num_bullets else f"{count} bullets, not {self.num_bullets}"


@dataclass(frozen=True, slots=True)
class NumberHighlightedSections:
    """At least so many highlights with words, in one to three asterisks on both sides.

    The reference takes the text between two bullets' marks, or between `2 * 3 * 4`, for one.
    """

    num_highlights: int

    def __post_init__(self) -> None:
        check_count(self.num_highlights)

    def failure(self, answer: Answer) -> str | None:
        """A highlight starts and ends on one line, without white space at its marks."""
        count = sum(bool(words(inside)) for _, inside in HIGHLIGHT.findall(answer.text))
        return None if count >= self.num_highlights else f"{count} highlights, fewer than {self.num_highlights}"


@dataclass(frozen=True, slots=True)
class MultipleSections:
    """Exactly so many sections, each with words and marked at the start of a line: "SECTION 1", "SECTION 2", ...

    More are right where the prompt says "at least". The reference always takes more, any numbers, in any order and
    anywhere in a line.
    """

    section_spliter: str
    num_sections: int

    def __post_init__(self) -> None:
        check_phrases((self.section_spliter,))
        check_count(self.num_sections)

    def failure(self, answer: Answer) -> str | None:
        """In any case only where the whole response is in one; Markdown may stand before the mark.

        Of two responses, parted by six asterisks, each may have the sections.
        """
        whole = self._failure(answer.text, answer)
        parts = TWO_RESPONSES.split(answer.text)
        if whole is None or len(parts) != 2 or any(self._failure(part, answer) for part in parts):
            return whole
        return None

    def _failure(self, text: str, answer: Answer) -> str | None:
        name = re.escape(normalize(self.section_spliter).strip())
        flags = re.MULTILINE | (re.IGNORECASE if in_one_case(answer.text) else 0)
        found = list(re.finditer(rf"^[ \t#>*_\"'(\[\u201c-]*{name}[ \t]*(\d{{1,4}})(?!\d)", text, flags=flags))
        ends = [match.start() for match in found[1:]] + [len(text)]
        if [int(match[1]) for match in found] != list(range(1, len(found) + 1)):
            return f"sections are numbered {', '.join(match[1] for match in found[:20])}"
        if not all(words(text[match.end() : end]) for match, end in zip(found, ends, strict=False)):
            return "a section without words"
        return wrong_count(len(found), self.num_sections, "sections", f"section|{name}", answer.prompt)


@dataclass(frozen=True, slots=True)
class Title:
    """A title with words in `<< >>` on one line, wherever it stands.

    The prompt's own example does not count: not where the request is repeated, nor as a title "title". The reference
    takes both.
    """

    def failure(self, answer: Answer) -> str | None:
        """One is enough; some prompts ask for two texts with a title each."""
        for match in TITLE.finditer(own_text(answer)):
            inside = match.group()[2:-2].strip()
            if words(inside) and not (PLACEHOLDER_TITLE.fullmatch(inside) and match.group() in answer.prompt):
                return None
        return "no title in << >>"
