"""From Tasks to Groups of unscored Rollouts, through any Sampler."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rlpt.records import Group, Task
from rlpt.samplers.protocol import Sampler
from rlpt.samplers.trail import Decode, Encode, Environment, Trail
from rlpt.samplers.turns import converse, sample_turns


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
    """Sample every task `samples_per_task` times.

    Args:
        max_new_tokens: for each domain, the most tokens that the policy writes, in all its turns together.
        group_ids: one for each task, unique within the run.
        seed: of the engine's random numbers for this call.
        environments: for each domain with tools, what the policy may do between its turns.
    """
    environments = environments or {}
    trails = [
        _trails(group_id, task, samples_per_task, max_new_tokens[task.domain], encode, environments.get(task.domain))
        for group_id, task in zip(group_ids, tasks, strict=True)
    ]
    every = [trail for own in trails for trail in own]
    sample_turns(sampler, every, seed)
    converse(sampler, [trail for trail in every if trail.environment is not None], seed)
    return [
        Group(group_id, task, [trail.rollout(decode) for trail in own])
        for group_id, task, own in zip(group_ids, tasks, trails, strict=True)
    ]


def _trails(
    group_id: str,
    task: Task,
    count: int,
    max_new_tokens: int,
    encode: Encode,
    environment: Environment | None,
) -> list[Trail]:
    """The rollouts of a task before their first turn."""
    prompt_ids = encode(task.messages) if environment is None else environment.encode(task.messages)
    return [Trail(task, group_id, index, prompt_ids, max_new_tokens, environment) for index in range(count)]
