"""From Tasks to Groups of unscored Rollouts, through any Sampler."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from rlpt.records import Group, Message, Rollout, Task
from rlpt.samplers.protocol import Request, Sample, Sampler

Encode = Callable[[Sequence[Message]], list[int]]
Decode = Callable[[Sequence[int]], str]


def sample_groups(
    sampler: Sampler,
    encode: Encode,
    decode: Decode,
    tasks: Sequence[Task],
    samples_per_task: int,
    max_new_tokens: Mapping[str, int],
    group_ids: Sequence[str],
    seed: int,
) -> list[Group]:
    """Sample every task `samples_per_task` times.

    Args:
        max_new_tokens: for each domain, the most tokens of a completion.
        group_ids: one for each task, unique within the run.
        seed: of the engine's random numbers for this call.
    """
    prompts = [encode(task.messages) for task in tasks]
    requests = [
        Request(prompt_ids, samples_per_task, max_new_tokens[task.domain])
        for task, prompt_ids in zip(tasks, prompts, strict=True)
    ]
    answers = sampler.sample(requests, seed)
    return [
        _group(group_id, task, prompt_ids, samples, decode)
        for group_id, task, prompt_ids, samples in zip(group_ids, tasks, prompts, answers, strict=True)
    ]


def _group(group_id: str, task: Task, prompt_ids: list[int], samples: Sequence[Sample], decode: Decode) -> Group:
    rollouts = [
        Rollout(
            task_id=task.task_id,
            group_id=group_id,
            index=index,
            prompt_ids=prompt_ids,
            token_ids=sample.token_ids,
            logprobs=sample.logprobs,
            action_mask=[1] * len(sample.token_ids),
            versions=[sample.version] * len(sample.token_ids),
            finish_reason=sample.finish_reason,
            text=decode(sample.token_ids),
        )
        for index, sample in enumerate(samples)
    ]
    return Group(group_id, task, rollouts)
