"""IFEval kinds about how the whole response is built: `combination:` and `startend:`."""

from __future__ import annotations

import re
from dataclasses import dataclass

from rlpt.verifiers.constraint_kinds.answer import TITLE, Answer
from rlpt.verifiers.constraint_kinds.form import QUOTES
from rlpt.verifiers.constraint_kinds.ifeval.arguments import check_words, in_one_case
from rlpt.verifiers.constraint_kinds.text import folded_words, normalize, words
from rlpt.verifiers.constraint_kinds.wording import WRAPPING, EndsWith

DIVIDER = re.compile(r"(?<!\*)\*{6}(?!\*)")
LABEL = re.compile(r"\W*(?:response|answer|option|version|reply)\s*#?\d{1,2}\b\W*", flags=re.IGNORECASE)
BEFORE_OPENING = "([{*_-\u2013\u2014"
STRAIGHT = str.maketrans("\u201c\u201d", '""')


@dataclass(frozen=True, slots=True)
class TwoResponses:
    """Exactly two different responses with words, parted by six asterisks.

    A divider may also stand before the first and behind the last, and a title before the first. The reference takes
    responses that differ in a space or a label only.
    """

    def failure(self, answer: Answer) -> str | None:
        """Responses are compared by their words, labels such as "Response 1:" left out."""
        parts = DIVIDER.split(answer.text.removeprefix('"').removesuffix('"'))
        parts = parts[not TITLE.sub("", parts[0]).strip() :]
        parts = parts[: len(parts) - (bool(parts) and not parts[-1].strip())]
        spoken = [folded_words(LABEL.sub("", part, count=1) if LABEL.match(part) else part) for part in parts]
        spoken = [said or folded_words(part) for said, part in zip(spoken, parts, strict=True)]
        if len(spoken) != 2 or not all(spoken):
            return f"{sum(map(bool, spoken))} responses parted by ******, not 2"
        return "twice the same response" if spoken[0] == spoken[1] else None


@dataclass(frozen=True, slots=True)
class RepeatPrompt:
    """The response starts with the request, word for word, and an answer follows.

    Other white space and other marks for quotations are no change; another case is one, but where the whole response
    is in one case. The reference takes any case, and a request without an answer.
    """

    prompt_to_repeat: str

    def __post_init__(self) -> None:
        check_words(self.prompt_to_repeat)

    def failure(self, answer: Answer) -> str | None:
        """A quotation mark may stand before it where one also ends the response."""
        wanted, text = _plain(normalize(self.prompt_to_repeat)), _plain(answer.text)
        if in_one_case(text):
            wanted, text = wanted.casefold(), text.casefold()
        if not text.startswith(wanted) and text.startswith('"') and text.endswith('"'):
            text = text[1:-1].lstrip()
        rest = text[len(wanted) :]
        if not text.startswith(wanted) or (wanted[-1].isalnum() and rest[:1].isalnum()):
            return "does not start with the request"
        return None if words(rest) else "no answer behind the request"


@dataclass(frozen=True, slots=True)
class EndChecker:
    """The response ends with the phrase, in any case; words stand before it, nothing follows."""

    end_phrase: str

    def __post_init__(self) -> None:
        check_words(self.end_phrase)

    def failure(self, answer: Answer) -> str | None:
        """Quotes and emphasis behind the phrase are looked past."""
        return EndsWith(self.end_phrase.rstrip(WRAPPING)).failure(answer)


@dataclass(frozen=True, slots=True)
class Quotation:
    """The whole response stands in one pair of double quotation marks; other quotations may stand inside.

    The reference takes `"Yes," she said, "no."`, where the first pair ends early.
    """

    def failure(self, answer: Answer) -> str | None:
        """A straight mark opens a quotation where it has white space or a bracket before it and none behind."""
        text = answer.text
        closing = QUOTES.get(text[:1])
        if closing is None or not text.endswith(closing) or not words(text):
            return "not wrapped in double quotation marks"
        depth = 0
        for match in re.finditer(f"[{text[0]}{closing}]", text):
            depth += 1 if _opens(text, match.start()) else -1
            if depth == 0 and match.end() < len(text):
                return "the quotation ends before the response"
        return None


def _opens(text: str, index: int) -> bool:
    if text[index] != '"':
        return text[index] in QUOTES
    before, after = text[index - 1 : index], text[index + 1 : index + 2]
    return not before or ((before.isspace() or before in BEFORE_OPENING) and after != "" and not after.isspace())


def _plain(text: str) -> str:
    return " ".join(text.translate(STRAIGHT).split())
