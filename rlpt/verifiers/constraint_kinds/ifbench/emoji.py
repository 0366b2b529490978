"""The IFBench kind `format:emoji`, and what an emoji is.

Unicode Technical Standard 51: some characters are emoji by themselves, others (`©`, `↔`, digits) only with the
variation selector U+FE0F or the keycap U+20E3 behind them. Python's `unicodedata` has no such property.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from rlpt.verifiers.constraint_kinds.answer import Answer
from rlpt.verifiers.constraint_kinds.text import CLOSERS, TERMINALS, WINDOW, sentences

PICTURES = (
    r"\u231a\u231b\u2328\u23cf\u23e9-\u23f3\u23f8-\u23fa\u24c2\u25aa\u25ab\u25b6\u25c0\u25fb-\u25fe\u2600-\u2604\u260e"
    r"\u2611\u2614\u2615\u2618\u261d\u2620\u2622\u2623\u2626\u262a\u262e\u262f\u2638-\u263a\u2640\u2642\u2648-\u2653"
    r"\u265f\u2660\u2663\u2665\u2666\u2668\u267b\u267e\u267f\u2692-\u2697\u2699\u269b\u269c\u26a0\u26a1\u26a7\u26aa"
    r"\u26ab\u26b0\u26b1\u26bd\u26be\u26c4\u26c5\u26c8\u26ce\u26cf\u26d1\u26d3\u26d4\u26e9\u26ea\u26f0-\u26f5"
    r"\u26f7-\u26fa\u26fd\u2702\u2705\u2708-\u270d\u270f\u2712\u2714\u2716\u271d\u2721\u2728\u2733\u2734\u2744\u2747"
    r"\u274c\u274e\u2753-\u2755\u2757\u2763\u2764\u2795-\u2797\u27a1\u27b0\u27bf\u2934\u2935\u2b05-\u2b07\u2b1b\u2b1c"
    r"\u2b50\u2b55\u3030\u303d\u3297\u3299\U0001f004\U0001f0cf\U0001f170\U0001f171\U0001f17e\U0001f17f\U0001f18e"
    r"\U0001f191-\U0001f19a\U0001f1e6-\U0001f1ff\U0001f201-\U0001f251\U0001f300-\U0001f64f\U0001f680-\U0001f6ff"
    r"\U0001f7e0-\U0001f7eb\U0001f7f0\U0001f90c-\U0001f9ff\U0001fa70-\U0001faff"
)
"""Blocks of pictures are taken whole, so that emoji of later Unicode versions are known."""

SIGNS = r"\xa9\xae\u203c\u2049\u2122\u2139\u2194-\u2199\u21a9\u21aa"
MODIFIERS = r"\ufe0f\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f"
EMOJI = re.compile(rf"(?:[{PICTURES}]|[{SIGNS}]\ufe0f|[0-9#*]\ufe0f?\u20e3)[{MODIFIERS}]*+")
LAST_EMOJI = re.compile(EMOJI.pattern + r"\Z")


@dataclass(frozen=True, slots=True)
class EmojiSentences:
    """Every sentence has an emoji at its end, before or after its closing mark; a heading with `#` is no sentence.

    The reference runs lines together, and looks only at the last two characters before the mark.
    """

    def failure(self, answer: Answer) -> str | None:
        """An emoji between two sentences of a line ends the first one."""
        parts = _sentences(answer.prose)
        if not parts:
            return "no sentence"
        for sentence, after in parts:
            if not LAST_EMOJI.search(sentence.rstrip(CLOSERS + TERMINALS + " \t")[-WINDOW:]) and not after:
                return f'no emoji at the end of "{sentence[-40:]}"'
        return None


def _sentences(text: str) -> list[tuple[str, bool]]:
    """Each sentence, and whether an emoji follows it before the next one; a line of emoji goes with what is above."""
    found: list[tuple[str, bool]] = []
    for line in text.splitlines():
        if line.lstrip().startswith("#"):
            continue
        end = 0
        for sentence in sentences(line):
            start = line.index(sentence, end)
            if end and _starts_with_emoji(line[end : start + WINDOW]):
                found[-1] = (found[-1][0], True)
            found.append((sentence, False))
            end = start + len(sentence)
        if found and _starts_with_emoji(line[end:]):
            found[-1] = (found[-1][0], True)
    return found


def _starts_with_emoji(text: str) -> bool:
    return EMOJI.match(text.lstrip(CLOSERS + " \t")) is not None
