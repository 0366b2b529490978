"""The verifier `weighted`: a mean of several verifiers' rewards, such as 0.9 for the answer and 0.1 for its form.

`Task.reference` is what the members need; see `rlpt.verifiers.members` for what each of them sees of it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from rlpt.errors import UserError
from rlpt.records import Task, Verdict
from rlpt.verifiers.members import Members, answer_of, details, failing, parts_of, status_of, unscored
from rlpt.verifiers.protocol import Verifier


class WeightedVerifier:
    """Reward: the members' rewards weighted, the weights normalised to a sum of 1; None as soon as a member has none.

    `verifiers`: name -> a verifier, or a node of the group `verifier`. `weights`: one for each member, 0 or more; 0
    only logs it. `required`: members without whose full reward there is nothing. `format_from`: the member whose part
    `format` is the whole's; None takes the least of all members'.

    The status is that of the first member that does not say correct, or `suspicious` where any such member says so;
    members with weight 0 are left out unless required.
    Parts of a verdict: `format`, and for each member its reward (`answer`) and its own parts (`answer.format`).
    """

    def __init__(
        self,
        verifiers: Mapping[str, Verifier | Mapping[str, Any]],
        weights: Mapping[str, float],
        required: Sequence[str] = (),
        format_from: str | None = None,
    ) -> None:
        """Raises UserError where a member cannot be built, or a name or a weight is none."""
        self._weights = _normalised(weights)
        self._required = list(required)
        self._format_from = format_from
        self._members = Members("weighted", verifiers)
        try:
            self._members.check_names("weights", weights)
            self._members.check_names("required", self._required)
            self._members.check_names("format_from", [] if format_from is None else [format_from])
            without = [name for name in self._members.names if name not in self._weights]
            if without:
                raise UserError(f"weighted: the member {without[0]!r} has no weight; add weights.{without[0]}.")
        except BaseException:
            self.close()
            raise

    def verify(self, task: Task, completion: str) -> Verdict:
        """Judge a completion. Raises UserError for a reference that a member cannot judge by."""
        verdicts = self._members.judge(task, completion)
        if (none := unscored(verdicts, self._format_from)) is not None:
            return none
        parts = parts_of(verdicts, self._format_from)
        counting = [name for name in failing(verdicts) if self._weights[name] > 0.0 or name in self._required]
        if not counting:
            return Verdict(1.0, "correct", details(verdicts, list(verdicts)), parts, answer=answer_of(verdicts))
        missed = [name for name in counting if name in self._required]
        return Verdict(
            0.0 if missed else self._mean(verdicts),
            status_of(verdicts, [*missed, *counting]),
            details(verdicts, counting),
            parts,
            answer=answer_of(verdicts),
        )

    def check_reference(self, reference: Mapping[str, Any]) -> None:
        """Raise UserError where a member cannot judge by what it sees of the reference."""
        self._members.check_reference(reference)

    def counters(self) -> dict[str, float]:
        """What the members have counted."""
        return self._members.counters()

    def close(self) -> None:
        """Close the members that hold something."""
        self._members.close()

    def _mean(self, verdicts: Mapping[str, Verdict]) -> float:
        return math.fsum(self._weights[name] * (verdict.reward or 0.0) for name, verdict in verdicts.items())


def _normalised(weights: Mapping[str, float]) -> dict[str, float]:
    if not isinstance(weights, Mapping):
        raise UserError("weighted: weights must name each member's weight, such as {answer: 0.9, format: 0.1}.")
    for name, weight in weights.items():
        if isinstance(weight, bool) or not isinstance(weight, int | float) or not 0.0 <= weight < math.inf:
            raise UserError(f"weighted: weights.{name}={weight!r} must be a number, 0 or more.")
    if weights and not any(weights.values()):
        raise UserError("weighted: every weight is 0, so nothing would be paid; set at least one above 0.")
    largest = max(weights.values(), default=1.0)  # first, so that no sum is too large or too small for a float
    scaled = {name: weight / largest for name, weight in weights.items()}
    total = math.fsum(scaled.values())
    return {name: weight / total for name, weight in scaled.items()}
