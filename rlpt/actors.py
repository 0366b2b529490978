"""What acts around the policy in a run: the chat template, the engine that answers and the verifiers that judge."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from types import TracebackType

from rlpt.counting import counted
from rlpt.policy.tokenizer import ChatTokenizer
from rlpt.records import Group, Rollout, Task, Verdict
from rlpt.samplers.protocol import Sampler
from rlpt.samplers.rollouts import sample_groups
from rlpt.samplers.trail import Environment
from rlpt.tools.protocol import Tool
from rlpt.verifiers.pool import VerifierPool


@dataclass(frozen=True, slots=True)
class Actors:
    """From tasks to scored groups, in training and in evaluation alike. A context manager that ends its processes."""

    tokenizer: ChatTokenizer
    sampler: Sampler
    pool: VerifierPool
    max_new_tokens: Mapping[str, int]
    environments: Mapping[str, Environment] = field(default_factory=dict)
    """Of the domains with tools."""

    def roll_out(
        self, tasks: Sequence[tuple[str, Task]], samples_per_task: int, seed: int, first_turns_only: bool = False
    ) -> list[Group]:
        """Sample each task; `tasks` are pairs of a group id, unique within the run, and a task.

        `first_turns_only`: no tool is called, so that the same seed and weights give the same tokens.
        """
        return sample_groups(
            self.sampler,
            self.tokenizer.encode,
            self.tokenizer.decode,
            [task for _, task in tasks],
            samples_per_task,
            self.max_new_tokens,
            [group_id for group_id, _ in tasks],
            seed,
            {
                domain: replace(environment, max_turns=1) if first_turns_only else environment
                for domain, environment in self.environments.items()
            },
        )

    def score(self, groups: Sequence[Group]) -> list[Group]:
        """The groups with a verdict for each rollout. A rollout that was aborted says nothing and has no reward."""
        whole = {
            id(rollout): (group.task, rollout.text)
            for group in groups
            for rollout in group.rollouts
            if rollout.finish_reason != "abort"
        }
        verdicts = dict(zip(whole, self.pool.score(list(whole.values())), strict=True))
        return [
            replace(group, verdicts=[verdicts.get(id(rollout)) or _aborted(rollout) for rollout in group.rollouts])
            for group in groups
        ]

    def counters(self) -> dict[str, float]:
        """What went on and wrong around the policy so far, on this rank, by the name of its metric; all only grow."""
        return counted([self.sampler, self.pool, *self._tools()])

    def __enter__(self) -> Actors:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with ExitStack() as stack:  # one that fails to close does not keep the others open
            for tool in self._tools():
                stack.callback(tool.close)
            stack.callback(self.pool.close)
            stack.callback(self.sampler.close)

    def _tools(self) -> list[Tool]:
        """Each once, also where several domains have it."""
        tools = [tool for environment in self.environments.values() for tool in environment.tools.values()]
        return list({id(tool): tool for tool in tools}.values())


def _aborted(rollout: Rollout) -> Verdict:
    failed = [message for message in rollout.messages if message.get("status") == "infra_error"]
    what = f"the tool {failed[-1]['name']} failed: {failed[-1]['content']}" if failed else "the engine gave up"
    return Verdict(None, "infra_error", " ".join(what.split()))
