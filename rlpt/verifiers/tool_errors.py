"""The verifier `tool_errors`: another verifier's, and each turn pays for its tool calls that failed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from rlpt.errors import UserError
from rlpt.records import Credit, Message, Task, Verdict
from rlpt.verifiers.members import Members
from rlpt.verifiers.protocol import Verifier

ANSWER = "answer"


class ToolErrorsVerifier:
    """The verdict of the member `answer`, and a credit for every turn: minus `penalty` where a call of it failed.

    `verifiers`: the member, as in `all_of`. A call fails where its tool says so (`error`): no such tool, arguments that
    it does not take, a program that raises. What the engine or the sandbox did wrong costs nothing.
    """

    def __init__(self, verifiers: Mapping[str, Verifier | Mapping[str, Any]], penalty: float = 0.1) -> None:
        """Raises UserError where the member cannot be built or `penalty` is below 0."""
        if not 0.0 <= penalty < float("inf"):
            raise UserError(f"tool_errors: penalty={penalty:g} must be a number, 0 or more.")
        if list(verifiers) != [ANSWER]:
            raise UserError(f"tool_errors has the one member {ANSWER}; got {', '.join(verifiers) or 'none'}.")
        self._penalty = penalty
        self._members = Members("tool_errors", verifiers)

    def verify(self, task: Task, completion: str) -> Verdict:
        """Judge the answer alone."""
        return self._members.judge(task, completion)[ANSWER]

    def verify_turns(self, task: Task, completion: str, messages: Sequence[Message]) -> Verdict:
        """Judge the answer, and each turn by what its tools said."""
        verdict = self.verify(task, completion)
        credits: list[Credit] = []
        for message in messages:
            if message["role"] == "assistant":
                credits.append(Credit(len(credits), 0.0))
            elif message.get("status") == "error" and credits:
                credits[-1] = Credit(credits[-1].turn, -self._penalty)
        return replace(verdict, credits=credits)

    def check_reference(self, reference: Mapping[str, Any]) -> None:
        """Raise UserError where the member cannot judge by what it sees of the reference."""
        self._members.check_reference(reference)

    def counters(self) -> dict[str, float]:
        """What the member has counted."""
        return self._members.counters()

    def close(self) -> None:
        """Close the member where it holds something."""
        self._members.close()
