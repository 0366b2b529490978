"""The members of a verifier that is made of others: built, asked in order, put together, closed.

A member is any verifier, named by the verifier that holds it. It sees the task's reference whole; where the reference
has a mapping under the member's name, it sees that mapping instead, so that two members can have a reference each:
`{"answer": {"answer": "5"}, "style": {"constraints": [...]}}`.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from rlpt.config.build import build
from rlpt.counting import counted
from rlpt.errors import UserError
from rlpt.records import Status, Task, Verdict
from rlpt.verifiers.protocol import Closable, ReferenceChecker, TurnVerifier, Verifier

FORMAT = "format"


class Members:
    """Named verifiers, in the order in which they are asked.

    `owner`: the verifier that they belong to, for messages. `verifiers`: name -> one that is ready, or a node of the
    group `verifier`, from which it is built.
    """

    def __init__(self, owner: str, verifiers: Mapping[str, Verifier | Mapping[str, Any]]) -> None:
        """Raises UserError for no member at all, for a node without a `_target_`, and as a member raises it."""
        if not isinstance(verifiers, Mapping) or not verifiers:
            raise UserError(f"{owner}: verifiers must name at least one member, each with the node of a verifier.")
        self.owner = owner
        self._verifiers: dict[str, Verifier] = {}
        try:
            for name, node in verifiers.items():
                self._verifiers[name] = _member(owner, name, node)
                if isinstance(self._verifiers[name], TurnVerifier):
                    raise UserError(
                        f"{owner}: the member {name} rewards single turns, which {owner} does not pass on; put it "
                        f"outermost, with {owner} among its own verifiers."
                    )
        except BaseException:
            self.close()  # what is built already may hold a sandbox
            raise

    def check_names(self, key: str, names: Mapping[str, Any] | list[str]) -> None:
        """Raise UserError where `names`, the value of the config's `key`, names something that is no member."""
        unknown = [name for name in names if name not in self._verifiers]
        if unknown:
            known = ", ".join(self._verifiers)
            raise UserError(f"{self.owner}: {key} names {unknown[0]!r}, which is no member; the members are {known}.")

    @property
    def names(self) -> list[str]:
        """The members' names, in order."""
        return list(self._verifiers)

    def judge(self, task: Task, completion: str) -> dict[str, Verdict]:
        """Return each member's verdict, in order; the first without a reward is the last one.

        Raises ValueError for a reward that is no finite number, with which nothing could be computed.
        """
        verdicts: dict[str, Verdict] = {}
        for name, verifier in self._verifiers.items():
            verdict = verifier.verify(_task_of(task, name), completion)
            if verdict.reward is not None and not math.isfinite(verdict.reward):
                raise ValueError(f"{self.owner}: the member {name} gave a reward that is not finite: {verdict.reward}")
            verdicts[name] = verdict
            if verdict.reward is None:
                break
        return verdicts

    def check_reference(self, reference: Mapping[str, Any]) -> None:
        """Raise UserError where a member cannot judge by what it sees of the reference."""
        for name, verifier in self._verifiers.items():
            if isinstance(verifier, ReferenceChecker):
                try:
                    verifier.check_reference(_reference_of(reference, name))
                except UserError as error:
                    raise UserError(f"{self.owner}, member {name}: {error}") from error

    def counters(self) -> dict[str, float]:
        """What the members have counted, added up by name."""
        return counted(self._verifiers.values())

    def close(self) -> None:
        """Close the members that hold something; one that fails to does not keep the others open."""
        with contextlib.ExitStack() as stack:
            for verifier in self._verifiers.values():
                if isinstance(verifier, Closable):
                    stack.callback(verifier.close)


def parts_of(verdicts: Mapping[str, Verdict], format_from: str | None) -> dict[str, float]:
    """Return the parts of the whole: each member's reward under its name and its own parts under `name.part`.

    `format` is the whole's: the least of the members' format parts, or that of the member `format_from`. The reward of
    a member that is itself called `format` therefore stands under `format.reward`.
    """
    asked = verdicts.values() if format_from is None else [verdicts[name] for name in verdicts if name == format_from]
    parts = {FORMAT: min((verdict.parts.get(FORMAT, 0.0) for verdict in asked), default=0.0)}
    for name, verdict in verdicts.items():
        if verdict.reward is not None:
            parts[f"{FORMAT}.reward" if name == FORMAT else name] = verdict.reward
        parts |= {f"{name}.{part}": value for part, value in verdict.parts.items()}
    return parts


def unscored(verdicts: Mapping[str, Verdict], format_from: str | None) -> Verdict | None:
    """Return the verdict of the whole where a member has no reward, else None."""
    for name, verdict in verdicts.items():
        if verdict.reward is None:
            return Verdict(None, "infra_error", f"{name}: {verdict.detail}", parts_of(verdicts, format_from))
    return None


def failing(verdicts: Mapping[str, Verdict]) -> list[str]:
    """The members that do not say correct with a full reward, in order. All must have a reward."""
    return [
        name
        for name, verdict in verdicts.items()
        if verdict.status != "correct" or verdict.reward is None or verdict.reward < 1.0
    ]


def status_of(verdicts: Mapping[str, Verdict], names: list[str]) -> Status:
    """The status of the whole where these members failed: that of the first, but signs of cheating are never hidden."""
    statuses = [verdicts[name].status for name in names]
    status = "suspicious" if "suspicious" in statuses else statuses[0]
    return "wrong" if status == "correct" else status


def details(verdicts: Mapping[str, Verdict], names: list[str]) -> str:
    """What these members say, in one line."""
    return "; ".join(f"{name}: {verdicts[name].detail or verdicts[name].status}" for name in names)


def answer_of(verdicts: Mapping[str, Verdict]) -> str | None:
    """What was answered, where exactly one member knows."""
    known = [verdict.answer for verdict in verdicts.values() if verdict.answer is not None]
    return known[0] if len(known) == 1 else None


def _member(owner: str, name: str, node: Verifier | Mapping[str, Any]) -> Verifier:
    verifier = _build(owner, name, node) if isinstance(node, Mapping) else node
    if not callable(getattr(verifier, "verify", None)):
        raise UserError(f"{owner}: verifiers.{name} is no verifier: it has no method verify.")
    return verifier


def _build(owner: str, name: str, node: Mapping[str, Any]) -> Verifier:
    if not node.get("_target_"):
        raise UserError(
            f"{owner}: verifiers.{name} has no _target_; take one with verifier@...verifiers.{name}=OPTION."
        )
    # As in a worker, arguments stay plain values: what they hold with a _target_ of its own, the member builds itself.
    verifier: Verifier = build({"_recursive_": False, "_convert_": "all", **node})
    return verifier


def _task_of(task: Task, name: str) -> Task:
    reference = _reference_of(task.reference, name)
    return task if reference is task.reference else replace(task, reference=reference)


def _reference_of(reference: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    own = reference.get(name)
    return own if isinstance(own, Mapping) else reference
