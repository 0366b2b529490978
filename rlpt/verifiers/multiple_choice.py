r"""The verifier `multiple_choice`: does the answer name the right choice, and no other?

`Task.reference = {"answer": "E", "choices": {"A": "the first law", ...}}`, or `"choices": ["A", "B", ...]` where the
texts do not matter. Labels are single letters or numbers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rlpt.errors import UserError
from rlpt.records import Task, Verdict
from rlpt.verifiers.answers import check_forms, response
from rlpt.verifiers.asked import asked_for, shown
from rlpt.verifiers.labels import LABEL, Choices, comparable, in_cell, in_prose, listed_in


class MultipleChoiceVerifier:
    r"""Compares the label of the choice that an answer names.

    `forms`: where the choice stands, tried in this order: `boxed`, `tag` (`<answer>`) or `hash` (`#### E`). In one of
    them the choice's exact text counts too, where the task has texts and no two are the same. `anywhere`: whether a
    response counts that has none of them, such as "The answer is (E)."

    One of them that is a list of choices is hedging: its verdict is `suspicious`.
    """

    def __init__(self, forms: Sequence[str] = ("boxed", "tag"), anywhere: bool = True) -> None:
        self.forms = check_forms(forms)
        self.anywhere = anywhere

    def verify(self, task: Task, completion: str) -> Verdict:
        """Judge a completion. Raises UserError for a reference without choices or whose answer is none of them."""
        expected, choices = _question(task.reference)
        text = response(completion)
        found = asked_for(text, self.forms)
        parts = {"format": 1.0 if found else 0.0}
        if found is not None:
            label = in_cell(found, choices)
        else:
            found = text if self.anywhere else ""
            label = in_prose(found, choices)
        if not found:
            return Verdict(0.0, "wrong", "no answer found", parts, answer="")
        if label is None and parts["format"] and len(listed := listed_in(found, choices)) > 1:
            hedge = f"lists {len(listed)} choices in place of one"
            return Verdict(0.0, "suspicious", f"answered {shown(found)}, which {hedge}", parts, answer="")
        if label is None:
            return Verdict(0.0, "wrong", f"answered {shown(found)}, which does not name one choice", parts, answer="")
        if label != expected:
            return Verdict(0.0, "wrong", f"answered {label}, expected {expected}", parts, answer=label)
        return Verdict(1.0, "correct", f"answered {label}", parts, answer=label)

    def check_reference(self, reference: Mapping[str, Any]) -> None:
        """Raise UserError where the choices are no labels, or the answer is none of them."""
        _question(reference)


def _question(reference: Mapping[str, Any]) -> tuple[str, Choices]:
    """The right label, and the choices."""
    given = reference.get("choices")
    if isinstance(given, str) or not isinstance(given, Mapping | Sequence):
        raise UserError(
            "multiple_choice: a reference needs a field 'choices', a list of labels or a mapping from label to text; "
            f"got {shown(repr(given))}."
        )
    labels = [_label(label) for label in given]
    if len(labels) < 2 or None in labels:
        raise UserError(
            "multiple_choice: a reference's field 'choices' needs at least two labels, each a letter or a number, and "
            f"may map them to texts; got {shown(repr(given))}."
        )
    known = {label.lower(): label for label in labels if label is not None}
    if len(known) < len(labels):
        raise UserError(f"multiple_choice: a reference's field 'choices' has a label twice: {shown(repr(labels))}.")
    answer = _label(reference.get("answer"))
    if answer is None or answer not in known.values():
        raise UserError(
            f"multiple_choice: a reference's field 'answer' must be one of the labels {', '.join(known.values())}; got "
            f"{shown(repr(reference.get('answer')))}."
        )
    return answer, Choices(known, _texts(given) if isinstance(given, Mapping) else {})


def _texts(given: Mapping[str, Any]) -> dict[str, str]:
    """The text of each choice that has one."""
    for label, text in given.items():
        if isinstance(text, bool) or not isinstance(text, str | int | float):
            raise UserError(
                f"multiple_choice: a reference's field 'choices' must give each label a text; {label!r} has "
                f"{shown(repr(text))}."
            )
    return {str(label): comparable(str(text)) for label, text in given.items()}


def _label(value: object) -> str | None:
    """A label as text; None for what is none."""
    text = str(value) if isinstance(value, str | int) and not isinstance(value, bool) else ""
    return text if LABEL.fullmatch(text) else None
