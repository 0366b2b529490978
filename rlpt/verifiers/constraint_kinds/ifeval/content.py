"""IFEval kinds about what the response holds: placeholders, a postscript, one of three answers, JSON, a language."""

from __future__ import annotations

import re
from dataclasses import dataclass

from rlpt.verifiers.constraint_kinds.answer import Answer
from rlpt.verifiers.constraint_kinds.ifeval.arguments import check_count, check_words
from rlpt.verifiers.constraint_kinds.ifeval.language import LANGUAGES, not_in
from rlpt.verifiers.constraint_kinds.ifeval.request import own_text
from rlpt.verifiers.constraint_kinds.text import CLOSERS, TERMINALS, normalize, words
from rlpt.verifiers.constraint_kinds.wording import WRAPPING
from rlpt.verifiers.fences import fences
from rlpt.verifiers.structured.strict_json import JsonError, read

# Neither the text of a link nor a list of strings in code.
PLACEHOLDER = re.compile(r"\[([^\[\]\n\"]*)\](?!\()")
CHECKBOX = re.compile(r"^[ \t]*(?:[-*•]|\d{1,2}[.)])[ \t]+\[[xX]\]", flags=re.MULTILINE)
OPTION = re.compile(r"(?<!\w)My answer is (?:yes|no|maybe)\.")
ALONE = re.compile(r"\bjust (?:say|choose)\b|\b(?:answer|reply|respond) with exactly\b", flags=re.IGNORECASE)
OPENING = " \t*_#>\"'\u201c([-"  # may stand between a line's start and a postscript


@dataclass(frozen=True, slots=True)
class NumberPlaceholders:
    """At least so many placeholders in square brackets with a letter inside; one may stand several times.

    The reference counts `[]`, `[1]`, check boxes and links.
    """

    num_placeholders: int

    def __post_init__(self) -> None:
        check_count(self.num_placeholders)

    def failure(self, answer: Answer) -> str | None:
        """Count the brackets of the whole response."""
        found = PLACEHOLDER.findall(CHECKBOX.sub("", answer.text))
        count = sum(any(map(str.isalpha, inside)) for inside in found)
        return None if count >= self.num_placeholders else f"{count} placeholders, fewer than {self.num_placeholders}"


@dataclass(frozen=True, slots=True)
class Postscript:
    """A postscript that starts with the marker: at the start of a line, or behind a sentence; in any case.

    Text stands before it, and words behind the marker. The reference takes a marker that is only mentioned, that
    stands first, or that nothing follows, and "P.P.S." for "P.S.".
    """

    postscript_marker: str

    def __post_init__(self) -> None:
        check_words(self.postscript_marker)

    def failure(self, answer: Answer) -> str | None:
        """Spaces may stand between the marker's letters."""
        text, marker = answer.text, normalize(self.postscript_marker).strip()
        pattern = re.sub(r"\\\.(?=.)", r"\\.[ \\t]?", re.escape(marker)) + (r"(?!\w)" if marker[-1].isalnum() else "")
        first = next((index for index, character in enumerate(text) if character.isalnum()), len(text))
        last = next((index for index in range(len(text) - 1, -1, -1) if text[index].isalnum()), -1)
        for match in re.finditer(pattern, text, flags=re.IGNORECASE):
            start, end = match.span()
            if first < start and end <= last and _is_open(text[max(start - 9, 0) : start]):
                return None
        return f"no postscript that starts with {marker}"


@dataclass(frozen=True, slots=True)
class ConstrainedResponse:
    """One of "My answer is yes.", "My answer is no." and "My answer is maybe." stands in the response, word for word.

    The reference takes a response with two of them.
    """

    def failure(self, answer: Answer) -> str | None:
        """Other text may stand around it, as most prompts say, but not where the prompt says "just"."""
        found = set(OPTION.findall(answer.text))
        if len(found) != 1:
            return f"{len(found)} of the three answers"
        more = ALONE.search(answer.prompt) and not OPTION.fullmatch(answer.text.strip(WRAPPING))
        return "more than the answer" if more else None


@dataclass(frozen=True, slots=True)
class JsonFormat:
    """The whole response is one JSON object or array with words in it; a Markdown fence may stand around it.

    The reference takes NaN, repeated keys and a bare string or number.
    """

    def failure(self, answer: Answer) -> str | None:
        """JSON is read strictly, see `structured.strict_json`."""
        text = answer.text
        blocks = fences(text) if text.startswith("```") and text.endswith("```") else []
        if len(blocks) == 1 and blocks[0][0] in ("", "json"):
            text = blocks[0][1]
        try:
            value = read(text)
        except JsonError as error:
            return f"no JSON: {error}"
        return None if isinstance(value, dict | list) and words(text) else "no JSON object or array with words"


@dataclass(frozen=True, slots=True)
class ResponseLanguage:
    """The whole response is in the language, an ISO 639-1 code; names and single words of others may stand in it.

    Every longer line is looked at as well; a request that is repeated as the prompt wants is not. The reference looks
    at the text as a whole and takes what its detector fails on.
    """

    language: str

    def __post_init__(self) -> None:
        if self.language not in LANGUAGES:
            raise ValueError(f"language must be one of {', '.join(sorted(LANGUAGES))}, not {self.language!r}")

    def failure(self, answer: Answer) -> str | None:
        """See `language.not_in`."""
        return not_in(self.language, own_text(answer), wants_evidence=True)


def _is_open(before: str) -> bool:
    """Whether a postscript may start behind these characters: a new line or a finished sentence."""
    line = before.rpartition("\n")[2]
    if "\n" in before and not line.strip(OPENING):
        return True
    return before.rstrip()[-1:] in tuple(TERMINALS + CLOSERS) and before[-1:] not in tuple(TERMINALS)
