r"""The verifier `math`: is the completion's mathematical answer the expected one?

`Task.reference = {"answer": text}`, LaTeX or plain. The answer is read from the asked-for form (`\boxed{}`, `####`)
or, unless told otherwise, from wherever else a completion gives a single one. It is read by `rlpt.verifiers.algebra`,
which evaluates no text and bounds every computation, so that it needs no time limit of its own and works in any thread.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from rlpt.errors import UserError
from rlpt.records import Task, Verdict
from rlpt.verifiers import prose
from rlpt.verifiers.algebra import Answer, UnreadableError, is_finished, is_number, read, same
from rlpt.verifiers.answers import FORMS, boxed, check_forms, response

_SHOWN = 80
"""Characters of an answer in a verdict's detail."""

_BOX_COMMAND = re.compile(r"\\(?:boxed|fbox)(?![A-Za-z])")


class MathVerifier:
    r"""Compares answers by value.

    `forms`: the asked-for forms, tried in this order; `boxed`, `hash` (`#### 5`) or `tag` (`<answer>`). An answer in
    one of them makes `parts["format"]` 1.0. `anywhere`: whether an answer counts that stands in another form or in a
    plain sentence. `computed`: whether an expected number must be answered by a number; else 17 + 5 counts as 22, and
    repeating a question can be its answer.
    """

    def __init__(self, forms: Sequence[str] = ("boxed", "hash"), anywhere: bool = True, computed: bool = True) -> None:
        self.forms = check_forms(forms)
        self.anywhere = anywhere
        self.computed = computed

    def verify(self, task: Task, completion: str) -> Verdict:
        """Judge a completion. Raises UserError for a reference that is no answer."""
        expected = gold_text(task.reference)
        gold = read_gold(expected)
        text, asked_for = self._find(response(completion))
        parts = {"format": 1.0 if asked_for else 0.0}
        if not text:
            return Verdict(0.0, "wrong", "no answer found", parts, answer="")
        right, why = self._compare(gold, text)
        if right:  # however it is written
            return Verdict(1.0, "correct", f"answered {_short(text)}", parts, answer=expected)
        detail = f"answered {_short(text)}{why}, expected {_short(expected)}"
        return Verdict(0.0, "wrong", detail, parts, answer="".join(text.split()))

    def check_reference(self, reference: Mapping[str, Any]) -> None:
        """Raise UserError where the reference is missing, empty, or not an answer in its whole length."""
        read_gold(gold_text(reference))

    def _compare(self, gold: Answer, text: str) -> tuple[bool, str]:
        """Whether the answer is right, and what a person should know where it is not."""
        try:
            answer = read(text)
        except UnreadableError as error:
            return False, f" ({error})"
        if not same(gold, answer):
            return False, ""
        if self.computed and is_number(gold) and not is_finished(answer):
            return False, " (left to compute)"
        return True, ""

    def _find(self, text: str) -> tuple[str | None, bool]:
        """The answer's text, and whether it stands in an asked-for form."""
        for form in self.forms:
            found = FORMS[form](text)
            if found is not None:  # also where it is empty: an empty box is no answer, whatever stands elsewhere
                return found, bool(found)
        if self.anywhere:
            for form, find in FORMS.items():
                if form not in self.forms and (found := find(text)) is not None:
                    return found, False
            return prose.answer_in(text), False
        return None, False


def gold_text(reference: Mapping[str, Any]) -> str:
    """Return `reference["answer"]` as text."""
    answer = reference.get("answer")
    if isinstance(answer, bool) or not isinstance(answer, str | int | float):
        raise UserError(f"A reference needs a field 'answer' that is a text or a number; got {answer!r}.")
    return str(answer)


@lru_cache(maxsize=8_192)
def read_gold(text: str) -> Answer:
    r"""Read an expected answer, also one in `\boxed{}`. Raises UserError where any part of it would be lost."""
    answer: str | None = text.strip()
    if _BOX_COMMAND.search(text):
        answer = boxed(text)
        outside = text
        for content in (answer or "").split(", "):
            outside = outside.replace(content, "", 1)
        if re.search(r"[^\W_]", _BOX_COMMAND.sub("", outside)):
            raise UserError(f"The expected answer {_short(text)} has text around its box; give the answer alone.")
    if not answer:
        raise UserError("The expected answer is empty; every task needs one.")
    try:
        return read(answer)
    except UnreadableError as error:
        raise UserError(
            f"The expected answer {_short(text)} cannot be read: {error}; write it as one answer."
        ) from error


def _short(text: str) -> str:
    text = " ".join(text.split()) if len(text) < 1_000 else text
    return repr(text if len(text) <= _SHOWN else text[:_SHOWN] + "...")
