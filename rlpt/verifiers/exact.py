r"""The verifier `exact`: is the completion's answer the expected text, letter by letter after normalising?

`Task.reference = {"answer": text}`. For answers that are words, codes or labels; for mathematics take `math`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping
from typing import Any

from rlpt.errors import UserError
from rlpt.records import Task, Verdict
from rlpt.verifiers.answers import FORMS, response

SOURCES = (*FORMS, "text")
WHITESPACE: Mapping[str, Callable[[str], str]] = {
    "keep": lambda text: text,
    "collapse": lambda text: " ".join(text.split()),
    "remove": lambda text: "".join(text.split()),
}
_TEXT_COMMAND = re.compile(r"\\(?:text|textbf|textit|mathrm|mbox)\s*\{([^{}]*)\}")


class ExactVerifier:
    r"""Compares texts.

    `source`: where the answer stands: `boxed`, `hash`, `tag`, or `text`, the whole response. `case`: whether capital
    letters count. `whitespace`: `keep` compares it as it is, `collapse` takes any run of it for one space and none at
    the ends, `remove` ignores it.
    """

    def __init__(self, source: str = "boxed", case: bool = False, whitespace: str = "collapse") -> None:
        if source not in SOURCES:
            raise UserError(f"exact: source must be one of {', '.join(SOURCES)}; got {source!r}.")
        if whitespace not in WHITESPACE:
            raise UserError(f"exact: whitespace must be one of {', '.join(WHITESPACE)}; got {whitespace!r}.")
        self.source = source
        self.case = case
        self.whitespace = whitespace

    def verify(self, task: Task, completion: str) -> Verdict:
        """Judge a completion. Raises UserError for a reference without an answer."""
        expected = self._gold(task.reference)
        text = response(completion)
        found = text if self.source == "text" else FORMS[self.source](text)
        parts = {"format": 1.0 if found else 0.0}
        if not found:
            return Verdict(0.0, "wrong", "no answer found", parts, answer="")
        if self.source != "text":
            found = _TEXT_COMMAND.sub(r"\1", found)
        answer = self.normalised(found)
        if answer == self.normalised(expected):
            return Verdict(1.0, "correct", f"answered {found[:80]!r}", parts, answer=answer)
        return Verdict(0.0, "wrong", f"answered {found[:80]!r}, expected {expected[:80]!r}", parts, answer=answer)

    def check_reference(self, reference: Mapping[str, Any]) -> None:
        """Raise UserError where the reference has no answer."""
        self._gold(reference)

    def normalised(self, text: str) -> str:
        """The text as it is compared: Unicode in one form (NFKC), whitespace and case as configured."""
        text = WHITESPACE[self.whitespace](unicodedata.normalize("NFKC", text))
        return text if self.case else text.casefold()

    def _gold(self, reference: Mapping[str, Any]) -> str:
        answer = reference.get("answer")
        if not isinstance(answer, str) or not self.normalised(answer).strip():
            raise UserError(f"exact: a reference needs a field 'answer' that is a text and not empty; got {answer!r}.")
        return answer
