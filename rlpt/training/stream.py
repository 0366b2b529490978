"""The rollouts of training: begun in one step, and, with a token budget, finished in a later one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rlpt.actors import Actors
from rlpt.collectives import gather, share, unshare
from rlpt.records import Group, Task
from rlpt.samplers.pending import from_plain, to_plain
from rlpt.samplers.rollouts import OpenGroup, go_on
from rlpt.training.recipe import Recipe


class RolloutStream:
    """Takes tasks and gives back the groups that are finished.

    With `rollout_tokens_per_step` a rollout is written so far and no farther in one go; the next go, under the weights
    of then, writes on (partial rollouts: Kimi k1.5, arXiv:2501.12599, section 2.6.2). A group is given back when its
    last rollout has ended. Each rank has a stream of its own.
    """

    def __init__(self, actors: Actors, recipe: Recipe) -> None:
        self._actors, self._recipe = actors, recipe
        self._pending: list[OpenGroup] = []
        self._tokens = 0

    def roll_out(self, tasks: Sequence[tuple[str, Task]], seed: int) -> list[Group]:
        """Begin with `tasks`, pairs of a group id and a task, and go on with what is not finished.

        All ranks must call this together.
        """
        recipe = self._recipe
        groups = [*self._pending, *self._actors.open(tasks, recipe.group_size, recipe.needs_greedy)]
        before = _written(groups)
        go_on(self._actors.sampler, groups, seed, recipe.rollout_tokens_per_step)
        self._tokens += _written(groups) - before
        unfinished = [group for group in groups if not group.finished]
        # As `resume` shares them out: a run that is resumed goes on as it would have.
        self._pending = share(unshare(unfinished)) if recipe.rollout_tokens_per_step is not None else unfinished
        return self._actors.close([group for group in groups if group.finished])

    def take_metrics(self) -> dict[str, float]:
        """What all ranks have sampled since the last call, and what is not finished. All must call this together."""
        ranks = gather((self._tokens, sum(_going(group) for group in self._pending)))
        self._tokens = 0
        return {
            "perf/sampled_tokens": float(sum(tokens for tokens, _ in ranks)),
            "rl/unfinished_rollouts": float(sum(going for _, going in ranks)),
        }

    def state(self) -> list[dict[str, Any]]:
        """What is not finished, of all ranks, as plain values. All ranks must call this together."""
        return unshare(to_plain(self._pending))

    def resume(self, state: Sequence[Mapping[str, Any]]) -> None:
        """Go on from `state`."""
        self._pending = share(from_plain(state))


def _written(groups: Sequence[OpenGroup]) -> int:
    return sum(sum(trail.action_mask) for group in groups for trail in group.every)


def _going(group: OpenGroup) -> int:
    return sum(trail.finish_reason is None for trail in group.every)
