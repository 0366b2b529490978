# ruff: noqa: RUF001
"""Finds a mathematical answer in plain sentences, where a completion has none in an asked-for form.

Fails closed: a sentence with several numbers, with "or", or with a negation gives no answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from rlpt.verifiers.algebra import Answer, Text, UnreadableError, read
from rlpt.verifiers.algebra.nodes import Bracketed, Listing
from rlpt.verifiers.algebra.tokens import is_mathematical

MAX_LENGTH = 20_000
"""Characters at the end of a response that are read."""

MAX_WORDS = 3
"""Of an answer in words."""

_BOLD = re.compile(r"(?<![\w)])\*\*([^*\n]+)\*\*(?![\w(])")
_MARKDOWN = re.compile(r"^[ \t]*(?:[#>-]+[ \t]+|[*][ \t]+)|[`✅]|(?<![\w\\])__|__(?!\w)", re.MULTILINE)
_LABEL = re.compile(
    r"(?:(?:final |correct )?answers?|答案|the solutions?)(?:\s+to [^.\n]{1,80}?)?"
    r"\s*(?:(?:is|are|为|是)\b\s*[:：]?|[:=：](?:\s*(?:is|are)\b)?|\n)\s*",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+|(?<=[。！？])")
_SPAN = re.compile(
    r"\$\$(.{1,500}?)\$\$|\\\[(.{1,500}?)\\\]|\\\((.{1,500}?)\\\)"
    r"|(?<![\\$\d])\$(?! )([^$\n]{1,500}?)(?<! )\$(?!\d)",
    re.DOTALL,
)
_BETWEEN_SPANS = re.compile(r"[\s,;]*(?:and|or)?[\s,;]*")
_END = re.compile(r"[\s.,;:!*]*(?:respectively[\s.]*)?")
_CLAUSE = re.compile(
    r",?\s*\b(?:which|when|whenever|where|achieved|attained|occurring|because|since|and (?:it|this|that))\b"
)
_COPULA = re.compile(r"\b(?:is|are|was|were|equals?|be|becomes|gives?|get|at)\b|[=:：是为≈]|等于")
_NUMBER = re.compile(
    r"(?<![A-Za-z0-9_.,/^\\-])[-−]?\s?[$€£]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?"
    r"(?:\s\d+/\d+|/\d+)?\s?%?(?![A-Za-z0-9_]|[.,:]\d)"
)
_OPERATORS = frozenset("+-*/^<>=\\_[{(")
_UNDECIDED = re.compile(
    r"\b(?:or|not|no|between|either|neither|maybe|perhaps|possibly|cannot|isn|doesn|unless|if|about|around|"
    r"at least|at most|more than|less than|wrong)\b|[?？或不]",
    re.IGNORECASE,
)
# What a sentence says of its number besides naming it: that it is not the answer, that it changes, that more follows.
_DENIED = re.compile(
    r"n['’]t\b|\b(?:never|cannot|might|may|could|doubt|suppose|assume|let|unless|false|wrong|impossible"
    r"|incorrect|nobody|anything|hardly|fails?|without|probably|guess|random)\b",
    re.IGNORECASE,
)
_TAKEN_BACK = re.compile(r"\b(?:wait|actually|hmm|correction|mistake|wrong|incorrect)\b", re.IGNORECASE)
_CHANGED = re.compile(
    r"(?:minus|negative|plus|times|of|from|(?<!equal )to|than|root|twice|double|choose|log|sin|cos|tan|pi|by|under|over"
    r"|above|below|beyond|nearly|almost|roughly|approximately|except|but|in|with|exceeds|remainder)\W*\Z",
    re.IGNORECASE,
)
_SCALED = re.compile(
    r"\W*(?:hundred|thousand|million|billion|trillion|dozen|half|halves|thirds?|quarters?|fourths?|fifths?"
    r"|sixths?|sevenths?|eighths?|ninths?|tenths?|hundredths?|thousandths?"
    r"|squared|cubed|times|plus|minus|over|to|less|more|and|percent of|choose|factorial|digits)\b",
    re.IGNORECASE,
)
_WORD = re.compile(r"(?<![\\A-Za-z])[A-Za-z]{2,}")
_TEXT_COMMAND = re.compile(r"\\text[a-z]*\{[^{}]*\}|\\(?:begin|end)\{\w+\}|\\(?:mbox|mathrm|operatorname)\{[^{}]*\}")
_FOLLOW_UP = re.compile(r"i hope|hope this|let me know|note:|thank|this is correct|consistent", re.IGNORECASE)


def answer_in(text: str) -> str | None:
    """Return the text of the answer in a response, None where there is no single one."""
    text = _MARKDOWN.sub("", _BOLD.sub(r"\1", text[-MAX_LENGTH:]))
    text = _SPAN.sub(lambda span: span[0].replace("\n", " "), text).strip()
    if not text:
        return None
    if is_readable(text, words=len(text.split()) <= MAX_WORDS):
        return text
    labels = list(_LABEL.finditer(text))
    if labels and _TAKEN_BACK.search(text, labels[-1].end()):
        return None
    if labels and (line := _first_line(text[labels[-1].end() :])):
        first = _SENTENCE.split(line)[0]
        if is_readable(first, words=len(first.split()) <= MAX_WORDS):
            return first
        return _in_sentence(first)
    for sentence in _last_sentences(text):
        return _in_sentence(sentence)
    return None


def is_readable(text: str, *, words: bool = False) -> bool:
    """Whether the whole text is one answer; `words` says whether plain words are one."""
    try:
        answer = read(text)
    except UnreadableError:
        return False
    if _has_words(answer):
        return words
    text = re.sub(r"(?<=\d )(?:hundred|thousand|[mb]illion|trillion|dozen)\b", "", text)  # read as a part of the number
    # "So 48" is no product of S, o and 48
    return all(is_mathematical(word) for word in _WORD.findall(_TEXT_COMMAND.sub("", text)))


def _has_words(answer: Answer) -> bool:
    if isinstance(answer, Listing | Bracketed):
        return any(_has_words(item) for item in answer.items)
    return isinstance(answer, Text)


def _first_line(text: str) -> str:
    return next((line.strip() for line in text.splitlines() if re.search(r"\w", line)), "")


def _last_sentences(text: str) -> Iterator[str]:
    """The sentences that say something mathematical, the last one first."""
    for sentence in reversed(_SENTENCE.split(text)):
        if not _FOLLOW_UP.search(sentence) and (re.search(r"\d", sentence) or _SPAN.search(sentence)):
            yield sentence


def _in_sentence(sentence: str) -> str | None:
    """What a sentence ends in before its last clause (", which is achieved for a = b"), or as a whole; else its only
    number."""
    if _DENIED.search(_masked(sentence)):
        return None
    for part in dict.fromkeys((_without_clause(sentence), sentence)):
        found = _at_end(part)
        if found is not None:
            return found
    if _UNDECIDED.search(sentence):
        return None
    return _only_number(sentence.rpartition("=")[2])


def _only_number(text: str) -> str | None:
    """The only number of a text, where it is no part of a formula."""
    matches = list(_NUMBER.finditer(text))
    for match in matches:
        before, after = text[: match.start()].rstrip()[-1:], text[match.end() :].lstrip()[:1]
        if before in _OPERATORS or after in _OPERATORS:
            return None
        if _CHANGED.search(text, max(0, match.start() - 20), match.start()) or _SCALED.match(text, match.end()):
            return None
    numbers = {match[0].strip() for match in matches}
    return numbers.pop() if len(numbers) == 1 else None


def _without_clause(sentence: str) -> str:
    """Cut a sentence before a clause that follows its verb; before that a clause belongs to what is asked for."""
    outside = _masked(sentence)
    verb = _COPULA.search(outside)
    clause = _CLAUSE.search(outside, verb.end()) if verb else None
    return sentence[: clause.start()] if clause else sentence


def _masked(sentence: str) -> str:
    """The sentence with its formulas blanked out, of the same length."""
    return _SPAN.sub(lambda span: " " * len(span[0]), sentence)


def _at_end(sentence: str) -> str | None:
    """The formulas at the end of a sentence, its only formula, or what stands behind its last "is" or "="."""
    spans = list(_SPAN.finditer(sentence))
    outside = _masked(sentence)
    final = _final_spans(sentence, spans)
    if not final and len({span[0] for span in spans}) == 1 and not _NUMBER.search(outside):
        final = spans[:1]
    if final and not _UNDECIDED.search(outside[: final[0].start()]):
        joined = ", ".join("".join(part or "" for part in span.groups()) for span in final)
        return joined if is_readable(joined) else None
    copulas = list(_COPULA.finditer(outside))
    tail = sentence[copulas[-1].end() :].strip() if copulas else ""
    return tail if is_readable(tail) else None


def _final_spans(sentence: str, spans: list[re.Match[str]]) -> list[re.Match[str]]:
    """The formulas that end a sentence, joined by commas, "and" and "or" alone."""
    end = len(sentence)
    final: list[re.Match[str]] = []
    for span in reversed(spans):
        gap = _BETWEEN_SPANS if final else _END
        if not gap.fullmatch(sentence, span.end(), end):
            break
        final.insert(0, span)
        end = span.start()
    return final
