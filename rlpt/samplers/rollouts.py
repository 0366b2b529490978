"""From Tasks to Groups of unscored Rollouts, through any Sampler, at once or in several goes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rlpt.errors import UserError
from rlpt.records import Group, Task
from rlpt.samplers.protocol import Sampler
from rlpt.samplers.trail import Decode, Encode, Environment, Trail
from rlpt.samplers.turns import converse, sample_turns


@dataclass(frozen=True, slots=True)
class OpenGroup:
    """A task with its rollouts in the making; `greedy` is the one without chance, where one is wanted."""

    group_id: str
    task: Task
    trails: Sequence[Trail]
    greedy: Trail | None = None

    @property
    def every(self) -> list[Trail]:
        """All rollouts."""
        return [*self.trails, *([] if self.greedy is None else [self.greedy])]

    @property
    def finished(self) -> bool:
        """Whether no rollout goes on."""
        return all(trail.finish_reason is not None for trail in self.every)

    def close(self, decode: Decode) -> Group:
        """The finished group."""
        greedy = None if self.greedy is None else self.greedy.rollout(decode)
        return Group(self.group_id, self.task, [trail.rollout(decode) for trail in self.trails], greedy=greedy)


def open_group(
    group_id: str,
    task: Task,
    samples: int,
    max_new_tokens: int,
    encode: Encode,
    environment: Environment | None = None,
    greedy: bool = False,
    context_length: int | None = None,
) -> OpenGroup:
    """A task before its first token.

    Args:
        group_id: unique within the run.
        max_new_tokens: the most that the policy writes in a rollout, in all its turns together.
        encode: for a prompt without tools.
        environment: what the policy may do between its turns.
        greedy: whether there is a rollout without chance besides.
        context_length: most tokens of prompt and rollout together; None where nothing limits them.

    Raises:
        UserError: where the prompt leaves no token to write.
    """
    prompt_ids = encode(task.messages) if environment is None else environment.encode(task.messages)
    limit = context_length if environment is None else environment.context_length
    if limit is not None and len(prompt_ids) >= limit:
        raise UserError(
            f"The prompt of task {task.task_id} of domain {task.domain} takes {len(prompt_ids)} tokens, which leaves "
            f"none for an answer; raise policy.context_length={limit}."
        )

    def trail(index: int, without_chance: bool) -> Trail:
        return Trail(task, group_id, index, prompt_ids, max_new_tokens, environment, without_chance, context_length)

    trails = [trail(index, without_chance=False) for index in range(samples)]
    return OpenGroup(group_id, task, trails, trail(samples, without_chance=True) if greedy else None)


def go_on(sampler: Sampler, groups: Sequence[OpenGroup], seed: int, tokens: int | None = None) -> None:
    """Write on at every rollout that has not ended: to its end, or, without tools, at most so many `tokens`.

    `seed`: of the engine's random numbers for this call.
    """
    going = [trail for group in groups for trail in group.every if trail.finish_reason is None]
    sample_turns(sampler, going, seed, tokens)
    converse(sampler, [trail for trail in going if trail.environment is not None], seed)
