"""Verifier of prompts with checkable constraints: all must hold, and the text must be an answer at all.

A task's reference is one of
    {"constraints": [{"kind": str, "args": {...}}, ...]}, of the kinds in `rlpt.verifiers.constraint_kinds.KINDS`.
        Besides those that a task names, every answer must be free of loops and not repeat its prompt;
    {"instruction_id_list": [id, ...], "kwargs": [{...}, ...]}, a row of IFEval (arXiv:2311.07911) or IFBench
        (arXiv:2507.02833). Nothing else is asked of the answer then, but that it has words; some rows ask for the
        prompt again.

Words and sentences are told apart by rules of their own, the same everywhere, without downloaded models.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rlpt.errors import UserError
from rlpt.records import Task, Verdict
from rlpt.verifiers.constraint_kinds import ALWAYS, SUBSTANCE, Constraint, build
from rlpt.verifiers.constraint_kinds.answer import Answer

Named = list[tuple[str, Constraint]]
"""Constraints with their kinds' names."""


class ConstraintsVerifier:
    """Reward 1.0 where every constraint holds, else 0.0.

    Parts of a verdict:
        format: 1.0 where the text is an answer at all: words without loops, not the prompt's own, and what the task
            asks for by the kinds `prose` and `on_topic`; whatever the other constraints say. Of a row of IFEval or
            IFBench: words.
        constraints: share of the other constraints that hold.
    """

    def verify(self, task: Task, completion: str) -> Verdict:
        """Judge `completion`. Pure: the same verdict each time, and `task` stays as it was.

        Raises:
            UserError: where the reference is no list of known constraints; see `check_reference`.
        """
        asked, general = _asked(task.reference)
        answer = Answer.read(completion, task.messages)
        if not answer.words:
            return Verdict(0.0, "wrong", "no words", {"format": 0.0, "constraints": 0.0})
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
    _asked(reference)


def _asked(reference: Mapping[str, Any]) -> tuple[Named, Named]:
    """The constraints that a reference names, and those that are asked of every answer besides."""
    if "instruction_id_list" in reference:
        return [build(entry) for entry in _entries_of_row(reference)], []
    entries = reference.get("constraints")
    if not isinstance(entries, Sequence) or isinstance(entries, str) or not entries:
        raise UserError('The reference needs "constraints": a list of at least one {"kind": name, "args": {...}}.')
    return [build(entry) for entry in entries], [(type(constraint).__name__, constraint) for constraint in ALWAYS]


def _entries_of_row(row: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The constraints of a row of IFEval or IFBench, whose arguments that are not used are null."""
    ids, kwargs = row["instruction_id_list"], row.get("kwargs")
    if "constraints" in row:
        raise UserError('A reference has either "constraints" or "instruction_id_list"; leave one out.')
    if not isinstance(ids, Sequence) or isinstance(ids, str) or not ids:
        raise UserError('The reference\'s "instruction_id_list" must be a list of at least one id.')
    if not isinstance(kwargs, Sequence) or len(kwargs) != len(ids) or not all(map(_is_args, kwargs)):
        raise UserError('The reference\'s "kwargs" must be a list with an object of arguments for each instruction.')
    return [
        {"kind": name, "args": {key: value for key, value in (args or {}).items() if value is not None}}
        for name, args in zip(ids, kwargs, strict=True)
    ]


def _is_args(value: object) -> bool:
    return value is None or isinstance(value, Mapping)


def _failures(constraints: Sequence[tuple[str, Constraint]], answer: Answer) -> list[str]:
    found = ((kind, constraint.failure(answer)) for kind, constraint in constraints)
    return [f"{kind}: {reason}" for kind, reason in found if reason is not None]
