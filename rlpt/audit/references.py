"""Whether a verifier can judge by the references of labelled cases, found out before anything is judged by them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rlpt.audit.cases import Case
from rlpt.config.build import build
from rlpt.errors import UserError
from rlpt.evaluation.text import visible
from rlpt.records import Task, Verdict
from rlpt.verifiers.protocol import Closable, ReferenceChecker, Scorer, Verifier

TARGET = f"{__name__}.ReferenceCheck"


class ReferenceCheck:
    """A verifier in a worker that passes no judgement on a completion, but on the task's reference.

    So the check runs where the verifier itself does: with the same memory and time, and able to be killed.

    `verifier`: the node of the verifier whose `check_reference` is asked; one without accepts every reference.
    """

    def __init__(self, verifier: Mapping[str, Any]) -> None:
        self._verifier: Verifier = build({"_recursive_": False, "_convert_": "all", **verifier})

    def verify(self, task: Task, completion: str) -> Verdict:
        """Reward 1.0 for a reference that the verifier can judge by, 0.0 with the reason for one that it cannot."""
        try:
            if isinstance(self._verifier, ReferenceChecker):
                self._verifier.check_reference(task.reference)
        except UserError as error:
            return Verdict(0.0, "wrong", str(error), {"format": 1.0})
        return Verdict(1.0, "correct", "", {"format": 1.0})

    def close(self) -> None:
        """Release what the verifier holds."""
        if isinstance(self._verifier, Closable):
            self._verifier.close()


def check_references(file: object, cases: Sequence[Case], domain: str, pool: Scorer) -> None:
    """Have a pool of `ReferenceCheck` look at every reference.

    Raises:
        UserError: naming the first line whose reference is refused, or could not be looked at.
    """
    for case, verdict in zip(cases, pool.score([case.item(domain) for case in cases]), strict=True):
        if verdict.reward != 1.0:
            reason = " ".join(visible(verdict.detail).split())
            failed = "" if verdict.status == "wrong" else "the reference cannot be checked: "
            raise UserError(f"{file}, line {case.line}: {failed}{reason}")
