"""The verifier `all_of`: several verifiers that must all be satisfied, such as a right answer in the asked-for form.

`Task.reference` is what the members need; see `rlpt.verifiers.members` for what each of them sees of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rlpt.records import Task, Verdict
from rlpt.verifiers.members import Members, answer_of, details, failing, parts_of, status_of, unscored
from rlpt.verifiers.protocol import Verifier


class AllOfVerifier:
    """Reward 1.0 where every member gives 1.0, else the least of their rewards; None as soon as one has none.

    `verifiers`: name -> a verifier, or a node of the group `verifier`. `format_from`: the member whose part `format` is
    the whole's; None takes the least of all members'.

    The status is that of the first member that does not say correct, or `suspicious` where any such member says so.
    Parts of a verdict: `format`, and for each member its reward (`answer`) and its own parts (`answer.format`).
    """

    def __init__(self, verifiers: Mapping[str, Verifier | Mapping[str, Any]], format_from: str | None = None) -> None:
        """Raises UserError where a member cannot be built, or `format_from` is none."""
        self._members = Members("all_of", verifiers)
        self._format_from = format_from
        if format_from is not None:
            try:
                self._members.check_names("format_from", [format_from])
            except BaseException:
                self.close()
                raise

    def verify(self, task: Task, completion: str) -> Verdict:
        """Judge a completion. Raises UserError for a reference that a member cannot judge by."""
        verdicts = self._members.judge(task, completion)
        if (none := unscored(verdicts, self._format_from)) is not None:
            return none
        parts = parts_of(verdicts, self._format_from)
        reward = min(verdict.reward for verdict in verdicts.values() if verdict.reward is not None)
        failed = failing(verdicts)
        if not failed:
            return Verdict(1.0, "correct", details(verdicts, list(verdicts)), parts, answer=answer_of(verdicts))
        status, detail = status_of(verdicts, failed), details(verdicts, failed)
        return Verdict(reward, status, detail, parts, answer=answer_of(verdicts))

    def check_reference(self, reference: Mapping[str, Any]) -> None:
        """Raise UserError where a member cannot judge by what it sees of the reference."""
        self._members.check_reference(reference)

    def counters(self) -> dict[str, float]:
        """What the members have counted."""
        return self._members.counters()

    def close(self) -> None:
        """Close the members that hold something."""
        self._members.close()
