"""The verifier `reasoning_gym`: answers to tasks of the package reasoning-gym, judged as their generator does.

`Task.reference = {"dataset": name, "answer": the right one, "entry": what its scorer needs of the item's metadata}`, as
the domain `reasoning_gym` writes it. `rlpt.gym.rules.RULES` says of each generator how its answers are judged, and
`rlpt.gym.unsafe.UNSAFE` which are refused, since their scorers would run what an answer says or pay what is wrong.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rlpt.errors import UserError
from rlpt.gym.judging import score
from rlpt.gym.package import check_name, load
from rlpt.gym.rules import RULES
from rlpt.records import Task, Verdict
from rlpt.verifiers.answers import FORMS, response

SOURCES = (*FORMS, "text")


class ReasoningGymVerifier:
    """Reward 1.0 where the generator's score reaches the threshold, else 0.0: scores for half an answer pay nothing.

    `source`: where the answer stands: `boxed`, `hash`, `tag`, or `text`, the whole response. `threshold`: above 0 and
    at most 1. Below 1, answers that are right in part are paid, and with some generators wrong ones.

    Parts of a verdict: `format`, 1.0 where there is an answer, and `score`, the generator's own.
    """

    def __init__(self, source: str = "tag", threshold: float = 1.0) -> None:
        """Raises UserError where the package is missing or another release, and for settings that are none."""
        if source not in SOURCES:
            raise UserError(f"reasoning_gym: source must be one of {', '.join(SOURCES)}; got {source!r}.")
        if not 0.0 < threshold <= 1.0:
            raise UserError(f"reasoning_gym: threshold={threshold} must be above 0 and at most 1.")
        load()
        self.source = source
        self.threshold = threshold

    def verify(self, task: Task, completion: str) -> Verdict:
        """Judge a completion. Raises UserError for a reference that is none, or of a refused generator."""
        name, gold, entry = _read(task.reference)
        text = response(completion)
        answer = text if self.source == "text" else FORMS[self.source](text)
        if not answer:
            return Verdict(0.0, "wrong", "no answer found", {"format": 0.0, "score": 0.0})
        found = score(name, answer, gold, entry)
        parts = {"format": 1.0, "score": found}
        if found >= self.threshold:
            return Verdict(1.0, "correct", f"{name}: answered {answer[:80]!r}", parts)
        return Verdict(0.0, "wrong", f"{name}: answered {answer[:80]!r}, expected {gold[:80]!r}", parts)

    def check_reference(self, reference: Mapping[str, Any]) -> None:
        """Raise UserError where the reference is none, or its own answer would not be paid."""
        name, gold, entry = _read(reference)
        if score(name, gold, gold, entry) != 1.0:
            raise UserError(f"reasoning_gym: the field 'answer' of a reference, {gold[:80]!r}, is not paid by {name}.")


def _read(reference: Mapping[str, Any]) -> tuple[str, str, Mapping[str, Any]]:
    name, gold, entry = (reference.get(key) for key in ("dataset", "answer", "entry"))
    check_name(name)
    assert isinstance(name, str)
    if not isinstance(gold, str) or not gold.strip():
        raise UserError(
            f"reasoning_gym: a reference needs a field 'answer' that is a text and not empty; got {gold!r}."
        )
    if not isinstance(entry, Mapping):
        raise UserError(f"reasoning_gym: a reference needs a field 'entry' with keys of metadata; got {entry!r}.")
    if RULES[name].others and not isinstance(entry.get(RULES[name].others), list):
        raise UserError(f"reasoning_gym: the field 'entry' of {name} needs {RULES[name].others!r}, a list.")
    return name, gold, entry
