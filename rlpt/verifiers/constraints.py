"""Verifier of prompts with checkable constraints: all must hold, and the text must be an answer at all.

A task's reference is `{"constraints": [{"kind": str, "args": {...}}, ...]}`. The kinds stand in
`rlpt.verifiers.constraint_kinds.KINDS`; most are those of IFEval (arXiv:2311.07911) with word and sentence rules of
their own. Besides those that a task names, every answer must be free of loops and not repeat its prompt.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rlpt.errors import UserError
from rlpt.records import Task, Verdict
from rlpt.verifiers.constraint_kinds import ALWAYS, SUBSTANCE, Constraint, build
from rlpt.verifiers.constraint_kinds.answer import Answer


class ConstraintsVerifier:
    """Reward 1.0 where every constraint holds, else 0.0.

    Parts of a verdict:
        format: 1.0 where the text is an answer at all: words without loops, not the prompt's own, and what the task
            asks for by the kinds `prose` and `on_topic`; whatever the other constraints say.
        constraints: share of the other constraints that hold.
    """

    def verify(self, task: Task, completion: str) -> Verdict:
        """Judge `completion`. Pure: the same verdict each time, and `task` stays as it was.

        Raises:
            UserError: where the reference is no list of known constraints; see `check_reference`.
        """
        asked = _constraints(task.reference)
        answer = Answer.read(completion, task.messages)
        if not answer.words:
            return Verdict(0.0, "wrong", "no words", {"format": 0.0, "constraints": 0.0})
        general: list[tuple[str, Constraint]] = [(type(constraint).__name__, constraint) for constraint in ALWAYS]
        substance = general + [(kind, constraint) for kind, constraint in asked if kind in SUBSTANCE]
        specific = [(kind, constraint) for kind, constraint in asked if kind not in SUBSTANCE]
        weak, failed = _failures(substance, answer), _failures(specific, answer)
        parts = {
            "format": 0.0 if weak else 1.0,
            "constraints": 1.0 - len(failed) / len(specific) if specific else 1.0,
        }
        if weak or failed:
            return Verdict(0.0, "wrong", "; ".join(weak + failed), parts)
        return Verdict(1.0, "correct", "", parts)

    def check_reference(self, reference: Mapping[str, Any]) -> None:
        """Refuse a reference that cannot be judged; call it when tasks are loaded.

        Raises:
            UserError: naming the constraint and the known kinds or arguments.
        """
        check_reference(reference)


def check_reference(reference: Mapping[str, Any]) -> None:
    """Refuse a reference that `ConstraintsVerifier` cannot judge.

    Raises:
        UserError: for a missing or empty list, an unknown kind, or arguments that do not fit.
    """
    _constraints(reference)


def _constraints(reference: Mapping[str, Any]) -> list[tuple[str, Constraint]]:
    entries = reference.get("constraints")
    if not isinstance(entries, Sequence) or isinstance(entries, str) or not entries:
        raise UserError('The reference needs "constraints": a list of at least one {"kind": name, "args": {...}}.')
    return [build(entry) for entry in entries]


def _failures(constraints: Sequence[tuple[str, Constraint]], answer: Answer) -> list[str]:
    found = ((kind, constraint.failure(answer)) for kind, constraint in constraints)
    return [f"{kind}: {reason}" for kind, reason in found if reason is not None]
