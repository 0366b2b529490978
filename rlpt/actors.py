"""What acts around the policy in a run: the chat template, the engine that answers and the verifiers that judge."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import TracebackType

from rlpt.policy.tokenizer import ChatTokenizer
from rlpt.records import Group, Task
from rlpt.samplers.protocol import Sampler
from rlpt.samplers.rollouts import sample_groups
from rlpt.verifiers.pool import VerifierPool


@dataclass(frozen=True, slots=True)
class Actors:
    """From tasks to scored groups, in training and in evaluation alike. A context manager that ends its processes."""

    tokenizer: ChatTokenizer
    sampler: Sampler
    pool: VerifierPool
    max_new_tokens: Mapping[str, int]

    def roll_out(self, tasks: Sequence[tuple[str, Task]], samples_per_task: int, seed: int) -> list[Group]:
        """Sample each task; `tasks` are pairs of a group id, unique within the run, and a task."""
        return sample_groups(
            self.sampler,
            self.tokenizer.encode,
            self.tokenizer.decode,
            [task for _, task in tasks],
            samples_per_task,
            self.max_new_tokens,
            [group_id for group_id, _ in tasks],
            seed,
        )

    def score(self, groups: Sequence[Group]) -> list[Group]:
        """The groups with a verdict for each rollout."""
        verdicts = iter(self.pool.score([(group.task, rollout.text) for group in groups for rollout in group.rollouts]))
        return [replace(group, verdicts=[next(verdicts) for _ in group.rollouts]) for group in groups]

    def __enter__(self) -> Actors:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.sampler.close()
        self.pool.close()
