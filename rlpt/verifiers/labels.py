# ruff: noqa: RUF001
r"""Reads which choice an answer names: `E`, `(E)`, `E: the third law`, `\textbf{(E)}`, "The answer is (E)."

Fails closed: what names a second choice names none. Linear in the text's length.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass

from rlpt.verifiers.asked import unwrapped

LABEL = re.compile(r"[A-Za-z]|[0-9]{1,3}")
"""What a label is."""

MOST_STATEMENTS = 4
"""Of one line; where there are more, they name no choice."""

_MARKUP = re.compile(r"\*\*|__|`|^[ \t]{0,9}(?:#{1,6}|[>*-])[ \t]+", re.MULTILINE)
_WRAPPED = re.compile(r"(?:\\(?:text|math)[a-z]{0,6}\s*\{\s*)+")
_WORD = (
    r"(?:(?:the )?(?:correct |right |best |final )?(?:option|choice|answer|letter)s?\b(?: is\b)?\s{0,9}[:：]?\s{0,9})?"
)
_BARE = re.compile(rf"{_WORD}[(\[{{]*\s{{0,9}}({LABEL.pattern})\s{{0,9}}[)\]}}]*[.:,;!]?", re.IGNORECASE)
_BRACKETED = re.compile(rf"{_WORD}[(\[]\s{{0,9}}({LABEL.pattern})\s{{0,9}}[)\]]|({LABEL.pattern})\)", re.IGNORECASE)
_OPEN = re.compile(
    rf"{_WORD}(?-i:({LABEL.pattern}))"
    r"(?:\.\s|[:：](?=\s|[^\W\d_])|\s*\n|(?<!\d)\s+[-–—]\s|,?\s+(?=because\b|since\b|is correct\b)"
    r"|(?<!I),\s+(?=(?-i:[a-z]{2})))",
    re.IGNORECASE,
)
_OWN = re.compile(rf"[(\[]?({LABEL.pattern})(?:[)\]]|\b)[.,:;]?\s+")
_UNDECIDED = re.compile(
    r"[\s,.;:]*(?:or|and|but|if|unless|not|nor|maybe|perhaps|probably|possibly|is(?! correct)|was|are|isn|wasn|can"
    r"|cannot|could|might|may|seems|wrong|incorrect|false)\b",
    re.IGNORECASE,
)
_LETTERS_ALONE = re.compile(r"(?:[\s,;/&|.()\[\]:]|\b(?:or|and|both|maybe|[A-Za-z]|[0-9]{1,3})\b)*")
_CAPITAL = re.compile(r"(?<![^\W_])([A-Z])(?![^\W_]|-[a-z]{2})")
_NUMBER = re.compile(r"(?<![\w.])([0-9]{1,3})(?!\w|\.\d)")
_IN_BRACKETS = re.compile(r"(?<!\w)[(\[]\s{0,9}([A-Za-z]|[0-9]{1,3})\s{0,9}[)\]]")
_BEFORE_MARK = re.compile(r"(?<!\w)([A-Za-z]|[0-9]{1,3})(?:\)|:\s)")
_ARTICLE = re.compile(r"\s+(?!(?:or|and|is|are|was|if|because|since|but|not|seems|may|might|nor)\b)[a-z]+(?!\w)")
_PRONOUN = re.compile(r"['’]|\s+(?!(?:or|and|is|are|because|since|if)\b)[a-z]+(?!\w)")
_STATEMENT = re.compile(
    r"(?:\banswers?\b(?: to [^.\n]{1,80}?)?|\b(?:correct|right|best)\s(?:option|choice|letter)\b|答案)"
    r"\s{0,9}(?:(?:is|are|was|would be|must be|should be)\b\s{0,9}[:：]?|为|是|[:=：])\s{0,9}",
    re.IGNORECASE,
)
_TAKEN_BACK = re.compile(
    r"\b(?:no|not|nor|never|neither|none|cannot|if|unless|whether|doubt|wrong|incorrect|false|impossible)\b|n['’]t\b",
    re.IGNORECASE,
)
_WORDS = re.compile(r"[^\W\d_]{3}")
_BOLD = re.compile(r"\*\*([^*\n]{1,200})\*\*")


@dataclass(frozen=True)
class Choices:
    """The choices of a task. `labels`: by their lower case. `texts`: label -> text as `comparable` returns it."""

    labels: Mapping[str, str]
    texts: Mapping[str, str]

    def with_text(self, text: str) -> str | None:
        """Return the label of the one choice with this text; None where no choice has it, or several do."""
        wanted = comparable(text)
        found = [label for label, own in self.texts.items() if own == wanted]
        return found[0] if wanted and len(found) == 1 else None


def comparable(text: str) -> str:
    """Return a choice's text as it is compared: one Unicode form and one space, no LaTeX wrappers, no full stop."""
    return " ".join(unwrapped(unicodedata.normalize("NFC", text)).strip().removesuffix(".").split())


def named_in(text: str, choices: Choices) -> set[str]:
    """Return the labels that a text names anywhere. The article "A" and the pronoun "I" name no choice.

    Capital letters and numbers count where they stand alone, small letters in brackets or where all are such letters.
    """
    found = {match[1] for match in _IN_BRACKETS.finditer(text)}
    found |= {match[1] for match in _NUMBER.finditer(text)}
    if "(" not in text:
        found |= {match[1] for match in _BEFORE_MARK.finditer(text)}
    for match in _CAPITAL.finditer(text):
        as_word = {"A": _ARTICLE, "I": _PRONOUN}.get(match[1])
        if as_word is None or not as_word.match(text, match.end()):
            found.add(match[1])
    if _LETTERS_ALONE.fullmatch(text):
        found |= set(re.findall(r"\w+", text))
    return {choices.labels[label.lower()] for label in found if label.lower() in choices.labels}


def listed_in(text: str, choices: Choices) -> set[str]:
    """Return the labels that an answer lists, which is nothing but labels and words that join them; else none."""
    plain = _plain(text)
    return named_in(plain, choices) if _LETTERS_ALONE.fullmatch(plain) else set()


def in_cell(text: str, choices: Choices) -> str | None:
    """Return the label that an answer names, the inside of a box or tag; None where it names none or several."""
    plain = _plain(text)
    bare = _BARE.fullmatch(plain)
    if bare and bare[1].lower() in choices.labels:
        return choices.labels[bare[1].lower()]
    return choices.with_text(text) or _with_own_text(text, choices) or _at_start(plain, choices)


def in_prose(text: str, choices: Choices) -> str | None:
    """Return the label that a response names that has no asked-for form; None where it names none or several.

    Its last "The answer is" decides; else it begins with one choice, or has one in its last line or in bold, and names
    no other.
    """
    plain = _plain(text)
    statements = list(_STATEMENT.finditer(plain))
    if statements:
        start = plain.rfind("\n", 0, statements[-1].start()) + 1
        last = [one for one in statements if one.start() >= start]
        if len(last) > MOST_STATEMENTS or _TAKEN_BACK.search(plain, start, last[-1].start()):
            return None
        labels = {_stated(plain[one.end() :], choices) for one in last}
        return labels.pop() if len(labels) == 1 else None
    parts = [plain]
    if not _TAKEN_BACK.search(plain):
        parts += [plain.rpartition("\n")[2], *(_plain(bold) for bold in _BOLD.findall(text))]
    labels = {_stated(part, choices) for part in parts} - {None}
    label = labels.pop() if len(labels) == 1 else None
    return label if label is not None and named_in(plain, choices) <= {label} else None


def _plain(text: str) -> str:
    """The text without LaTeX that says nothing and without Markdown, in one Unicode form."""
    return _MARKUP.sub("", unwrapped(unicodedata.normalize("NFKC", text))).strip()


def _stated(text: str, choices: Choices) -> str | None:
    """The label at the start of a text, alone or followed by words."""
    bare = _BARE.fullmatch(text.strip())
    if bare and bare[1] in choices.labels.values():
        return bare[1]
    return _at_start(text, choices)


def _at_start(text: str, choices: Choices) -> str | None:
    """The label that a text starts with, set apart from what follows, which names no other and takes nothing back."""
    text = text[wrapped.end() :] if (wrapped := _WRAPPED.match(text)) else text
    match = _BRACKETED.match(text) or _OPEN.match(text)
    if match is None:
        return None
    written = match[match.lastindex or 0]
    label = choices.labels.get(written.lower())
    if label is None or (match.re is _OPEN and label != written):
        return None
    rest = text[match.end() :]
    if other := choices.with_text(rest):
        return label if other == label else None
    if _UNDECIDED.match(rest) or not named_in(rest, choices) <= {label} or _has_other_text(rest, label, choices):
        return None
    return label


def _has_other_text(text: str, label: str, choices: Choices) -> bool:
    """Whether the words of another choice stand in a text; those inside the own text do not count, nor do numbers."""
    text, own = comparable(text).casefold(), choices.texts.get(label, "").casefold()
    others = [other.casefold() for one, other in choices.texts.items() if one != label and _WORDS.search(other)]
    without_own = text.replace(own, " ") if own else text
    return any(
        re.search(rf"(?<!\w){re.escape(other)}(?!\w)", without_own if other in own else text) for other in others
    )


def _with_own_text(text: str, choices: Choices) -> str | None:
    """`E the third law`, `D. Both A and B`: a label and the very text of that choice."""
    whole = comparable(text)
    match = _OWN.match(whole)
    if match is None or match[1] not in choices.texts:
        return None
    rest, own = whole[match.end() :], choices.texts[match[1]]
    return match[1] if own and rest in (own, f"({own})") else None
