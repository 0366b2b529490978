"""Groups whose rollouts go on in a later step, as plain values and back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields
from typing import Any

from rlpt.records import Task
from rlpt.samplers.rollouts import OpenGroup
from rlpt.samplers.trail import Trail

SHARED = {"task", "group_id", "prompt_ids"}
"""Of all trails of a group."""
ABSENT = {"environment", "belt", "calls", "messages"}
"""Rollouts with tools end in the step in which they begin."""


def to_plain(groups: Sequence[OpenGroup]) -> list[dict[str, Any]]:
    """What `from_plain` makes the groups from, for JSON."""
    return [
        {
            "group_id": group.group_id,
            "task": asdict(group.task),
            "prompt_ids": list(group.trails[0].prompt_ids),
            "trails": [_trail(trail) for trail in group.trails],
            "greedy": None if group.greedy is None else _trail(group.greedy),
        }
        for group in groups
    ]


def from_plain(values: Sequence[Mapping[str, Any]]) -> list[OpenGroup]:
    """The inverse of `to_plain`."""
    return [_group(value) for value in values]


def _trail(trail: Trail) -> dict[str, Any]:
    return {field.name: getattr(trail, field.name) for field in fields(trail) if field.name not in SHARED | ABSENT}


def _group(value: Mapping[str, Any]) -> OpenGroup:
    task = Task(**value["task"])
    shared = {"task": task, "group_id": value["group_id"], "prompt_ids": value["prompt_ids"], "environment": None}
    greedy = value["greedy"]
    trails = [Trail(**shared, **own) for own in value["trails"]]
    return OpenGroup(value["group_id"], task, trails, None if greedy is None else Trail(**shared, **greedy))
