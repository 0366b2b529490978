"""Rules for words, phrases, sentences and bullets: plain functions of a text, without downloaded models.

Words may be of any script and carry combining marks. The sentence rules know the abbreviations of English.
"""

from __future__ import annotations

import re
import unicodedata

from rlpt.verifiers.constraint_kinds.english import ABBREVIATIONS

WIDE_TERMINALS = "\u3002\uff01\uff1f\u0964"  # ideographic and Devanagari: no space need follow
TERMINALS = ".!?\u2026\u061f" + WIDE_TERMINALS
CLOSERS = "\"'\u201d\u2019\u00bb)]}*_>"
QUOTES = '"\u201d\u00bb'
JOINERS = "'-\u2010\u2011"
WINDOW = 40  # characters looked at on each side of a mark: keeps long texts linear
SENTENCE_END = re.compile(rf"[{TERMINALS}]+[{re.escape(CLOSERS)}]*")


def normalize(text: str) -> str:
    """One spelling for texts that look the same: composed characters, straight apostrophes, `\\n` line ends."""
    text = unicodedata.normalize("NFC", text).replace("\r\n", "\n").replace("\r", "\n")
    return text.replace("\u2019", "'").replace("\u2018", "'")


def words(text: str) -> list[str]:
    """Split into words. `don't`, `well-known` and `3.5` are one word each; symbols are none."""
    found: list[str] = []
    start: int | None = None
    for index, character in enumerate(text):
        if _in_word(character):
            start = index if start is None else start
        elif start is not None and not _joins(text[index - 1 : index + 2]):
            found.append(text[start:index])
            start = None
    return found if start is None else [*found, text[start:]]


def folded_words(text: str) -> list[str]:
    """Words for comparison, without a difference between cases."""
    return [word.casefold() for word in words(text)]


def count_phrase(text: str, phrase: str) -> int:
    """Count `phrase` as whole words, in any case and with any white space inside.

    "art" is not in "start" and "don" not in "don't", but "dog" is in "the dog's tail" and "art" in "state-of-the-art".
    """
    folded = text.casefold()
    pattern = r"\s+".join(re.escape(part) for part in phrase.casefold().split())
    return sum(_stands_alone(folded, *match.span()) for match in re.finditer(pattern, folded))


def bullets(text: str) -> list[str]:
    """The texts of lines that start with `-`, `*` or `•` and a space."""
    return [match.strip() for match in re.findall(r"^[ \t]*[-*•][ \t]+(\S.*)$", text, flags=re.MULTILINE)]


def sentences(text: str) -> list[str]:
    """Split into sentences, each with at least one word. A line end also ends a sentence."""
    found: list[str] = []
    for line in text.splitlines():
        start = 0
        for match in SENTENCE_END.finditer(line):
            before = line[max(start, match.start() - WINDOW) : match.start()]
            if _ends_sentence(before, match.group(), line[match.end() : match.end() + WINDOW]):
                found.append(line[start : match.end()])
                start = match.end()
        found.append(line[start:])
    return [sentence.strip() for sentence in found if words(sentence)]


def is_finished(sentence: str) -> bool:
    """Whether a sentence has its closing mark; quotes, brackets and emphasis may follow it."""
    return sentence.rstrip().rstrip(CLOSERS).endswith(tuple(TERMINALS))


def _in_word(character: str) -> bool:
    return character.isalnum() or (character != "" and unicodedata.category(character).startswith("M"))


def _joins(three: str) -> bool:
    """Whether the middle one of three characters joins a word: `don't`, `well-known`, `3.5`, `1,000`."""
    if three[1] in JOINERS:
        return _in_word(three[2:])
    return three[1] in ".," and three[0].isdigit() and three[2:].isdigit()


def _stands_alone(text: str, start: int, end: int) -> bool:
    before, after = text[max(start - 2, 0) : start], text[end : end + 3]
    if _in_word(text[start : start + 1]) and (
        _in_word(before[-1:]) or (before.endswith("'") and _in_word(before[:-1]))
    ):
        return False
    if not _in_word(text[end - 1 : end]):
        return True
    possessive = after[:2] == "'s" and not _in_word(after[2:])
    return possessive or not (_in_word(after[:1]) or (after[:1] == "'" and _in_word(after[1:2])))


def _ends_sentence(before: str, marks: str, after: str) -> bool:
    if marks[0] in WIDE_TERMINALS:
        return True
    if after and not after[0].isspace():
        return False
    following = after.lstrip()[:1]
    if marks.startswith(("...", "\u2026")) and following.islower():
        return False
    if marks[-1] in QUOTES and following.islower():
        return False  # "Stop!" she said.
    if marks != "." or not following:
        return True
    last = before.split()[-1].lstrip("(\"'*_") if before.split() else ""
    initial = len(last) == 1 and last.isupper() and last != "I"
    numbering = last.isdigit() and before.strip() == last  # "1." opens an item of a list
    return not (last.casefold() in ABBREVIATIONS or initial or numbering)
