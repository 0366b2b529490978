"""From Tasks to Groups of unscored Rollouts, through any Sampler."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rlpt.records import Group, Task
from rlpt.samplers.protocol import Request, Sample, Sampler
from rlpt.samplers.trail import Decode, Encode, Environment, Trail
from rlpt.samplers.turns import converse


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
    prompts = [
        environments[task.domain].encode(task.messages) if task.domain in environments else encode(task.messages)
        for task in tasks
    ]
    requests = [
        Request(
            prompt_ids, samples_per_task, _most(prompt_ids, max_new_tokens[task.domain], environments.get(task.domain))
        )
        for task, prompt_ids in zip(tasks, prompts, strict=True)
    ]
    answers = sampler.sample(requests, seed)
    trails = [
        _trails(group_id, task, prompt_ids, samples, max_new_tokens[task.domain], environments.get(task.domain))
        for group_id, task, prompt_ids, samples in zip(group_ids, tasks, prompts, answers, strict=True)
    ]
    converse(sampler, [trail for own in trails for trail in own if trail.environment is not None], environments, seed)
    return [
        Group(group_id, task, [trail.rollout(decode) for trail in own])
        for group_id, task, own in zip(group_ids, tasks, trails, strict=True)
    ]


def _trails(
    group_id: str,
    task: Task,
    prompt_ids: list[int],
    samples: Sequence[Sample],
    max_new_tokens: int,
    environment: Environment | None,
) -> list[Trail]:
    trails = [Trail(task, group_id, index, prompt_ids, max_new_tokens, environment) for index in range(len(samples))]
    for trail, sample in zip(trails, samples, strict=True):
        trail.add_turn(sample)
    return trails


def _most(prompt_ids: Sequence[int], max_new_tokens: int, environment: Environment | None) -> int:
    """Tokens of the first turn; a prompt that leaves no room is for the engine to refuse."""
    room = max_new_tokens if environment is None else environment.context_length - len(prompt_ids)
    return min(max_new_tokens, room) if room > 0 else max_new_tokens
