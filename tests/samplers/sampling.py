"""Whole groups through any sampler, as the actors make them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rlpt.records import Group, Task
from rlpt.samplers.protocol import Sampler
from rlpt.samplers.rollouts import go_on, open_group
from rlpt.samplers.trail import Decode, Encode, Environment


def sample_groups(
    sampler: Sampler,
    encode: Encode,
    decode: Decode,
    tasks: Sequence[Task],
    samples_per_task: int,
    max_new_tokens: Mapping[str, int],
    group_ids: Sequence[str],
    seed: int,
    environments: Mapping[str, Environment] | None = None,
) -> list[Group]:
    """Sample every task `samples_per_task` times, to the end.

    `max_new_tokens` and `environments` are by domain; the rest is as in `open_group` and `go_on`.
    """
    environments = environments or {}
    groups = [
        open_group(group_id, task, samples_per_task, max_new_tokens[task.domain], encode, environments.get(task.domain))
        for group_id, task in zip(group_ids, tasks, strict=True)
    ]
    go_on(sampler, groups, seed)
    return [group.close(decode) for group in groups]
