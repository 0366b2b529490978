"""Groups as JSON objects and back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields
from typing import Any

from rlpt.records import Group, Rollout, Task, Verdict, verdict_from_json


def group_to_json(group: Group, advantages: Sequence[float] = ()) -> dict[str, Any]:
    """One object with the fields of Group and, beside them, one advantage for each rollout."""
    if advantages and len(advantages) != len(group.rollouts):
        raise ValueError(
            f"group {group.group_id}: {len(advantages)} advantages for {len(group.rollouts)} rollouts; "
            "there must be one for each"
        )
    baseline: dict[str, Any] = {}
    if group.greedy is not None and group.greedy_verdict is not None:
        baseline = {"greedy": _fields(group.greedy), "greedy_verdict": _fields(group.greedy_verdict)}
    return {
        "group_id": group.group_id,
        "task": _fields(group.task),
        "rollouts": [_fields(rollout) for rollout in group.rollouts],
        "verdicts": [_fields(verdict) for verdict in group.verdicts],
        "advantages": list(advantages),
        **baseline,
    }


def group_from_json(value: Mapping[str, Any]) -> tuple[Group, list[float]]:
    """The Group and its advantages (an empty list where none were written). Sequences come back as lists."""
    group = Group(
        group_id=value["group_id"],
        task=Task(**value["task"]),
        rollouts=[Rollout(**rollout) for rollout in value["rollouts"]],
        verdicts=[verdict_from_json(verdict) for verdict in value["verdicts"]],
        greedy=Rollout(**value["greedy"]) if "greedy" in value else None,
        greedy_verdict=verdict_from_json(value["greedy_verdict"]) if "greedy_verdict" in value else None,
    )
    return group, list(value.get("advantages", ()))


def _fields(record: Task | Rollout | Verdict) -> dict[str, Any]:
    # dataclasses.asdict would copy every token id; a step may hold millions.
    values = {field.name: getattr(record, field.name) for field in fields(record)}
    if isinstance(record, Rollout) and not record.messages:  # as in most
        del values["messages"]
    if isinstance(record, Verdict):
        if record.answer is None:
            del values["answer"]
        del values["credits"]
        if record.credits:
            values["credits"] = [asdict(credit) for credit in record.credits]
    return values
