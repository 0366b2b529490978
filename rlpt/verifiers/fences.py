"""Finds the fenced blocks of a Markdown text. Linear in the text's length."""

from __future__ import annotations

import re

# Possessive (`*+`), and only at the first of several marks, so that no text takes more than linear time.
_OPENING = re.compile(
    r"(?:(?<!`)(?P<ticks>`{3,}+)|^[ ]{0,3}(?P<tildes>~{3,}+))[ \t]*+(?P<language>[\w+#.-]*+)[^\n`]*+\n", re.MULTILINE
)


def fences(text: str) -> list[tuple[str, str]]:
    """Return language (lower case, `""` where none is named) and inside of each block, in order.

    A fence that is not closed runs to the end.
    """
    found: list[tuple[str, str]] = []
    position = 0
    while opening := _OPENING.search(text, position):
        marks = opening["ticks"] or opening["tildes"]
        # The closing line repeats the mark at least as often, and nothing but blanks follows it.
        closing = re.compile(rf"(?<!{marks[0]}){marks[0]}{{{len(marks)},}}+[ \t]*+(?:\n|\Z)").search(
            text, opening.end()
        )
        end, position = closing.span() if closing else (len(text), len(text))
        found.append((opening["language"].lower(), text[opening.end() : end]))
    return found
