"""What a verifier is: it says of one completion whether it answers its task."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol, runtime_checkable

from rlpt.records import Message, Task, Verdict


class Verifier(Protocol):
    """Judges completions. Built in a worker process from plain configuration values.

    `verify` is pure and idempotent and fails closed: what cannot be shown to be right is wrong. It never evaluates
    or imports anything that a completion says, and raises only where the task itself is broken.
    """

    def verify(self, task: Task, completion: str) -> Verdict:
        """Judge a completion (`Rollout.text`). Every verdict has `parts["format"]`, 1.0 or 0.0."""
        ...


@runtime_checkable
class TurnVerifier(Protocol):
    """A verifier that looks at everything that was said, to reward parts of it: `Verdict.credits`.

    It has `verify` too, which audits call.
    """

    def verify_turns(self, task: Task, completion: str, messages: Sequence[Message]) -> Verdict:
        """Judge a rollout. `messages`: what was said after the prompt, the policy's turns and the tools' in order.

        Credits compare with the other credits of the task, so give one for every part of a kind, 0 included.
        """
        ...


@runtime_checkable
class Closable(Protocol):
    """A verifier that holds something (a sandbox); it is closed when its worker ends."""

    def close(self) -> None:
        """Release it. Called once."""
        ...


@runtime_checkable
class ReferenceChecker(Protocol):
    """A verifier that can say beforehand whether a task's reference is one that it can judge by."""

    def check_reference(self, reference: Mapping[str, Any]) -> None:
        """Raise `rlpt.errors.UserError` for a reference that it cannot."""
        ...


Item = tuple[Task, str] | tuple[Task, str, Sequence[Message]]
"""A task, a completion, and what was said after the prompt where that is more than the completion."""


class Scorer(Protocol):
    """What judges many completions at once: the pool."""

    def score(self, items: Sequence[Item]) -> list[Verdict]:
        """Return one verdict for each item, in order."""
        ...
