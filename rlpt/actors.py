"""What acts around the policy in a run: the chat template, the engine that answers and the verifiers that judge."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from types import TracebackType

from rlpt.counting import counted
from rlpt.policy.tokenizer import ChatTokenizer
from rlpt.records import Group, Rollout, Task, Verdict
from rlpt.samplers.credits import located
from rlpt.samplers.protocol import Sampler
from rlpt.samplers.rollouts import OpenGroup, go_on, open_group
from rlpt.samplers.trail import Decode, Environment
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
    context_length: int | None = None

    def roll_out(
        self, tasks: Sequence[tuple[str, Task]], samples_per_task: int, seed: int, first_turns_only: bool = False
    ) -> list[Group]:
        """Sample each task; `tasks` are pairs of a group id, unique within the run, and a task.

        `first_turns_only`: no tool is called, so that the same seed and weights give the same tokens.
        """
        groups = self.open(tasks, samples_per_task, first_turns_only=first_turns_only)
        go_on(self.sampler, groups, seed)
        return self.close(groups)

    def open(
        self,
        tasks: Sequence[tuple[str, Task]],
        samples_per_task: int,
        greedy: bool = False,
        first_turns_only: bool = False,
    ) -> list[OpenGroup]:
        """The groups of `tasks` before their first token; `greedy`: with a rollout without chance besides."""
        environments = {
            domain: replace(environment, max_turns=1) if first_turns_only else environment
            for domain, environment in self.environments.items()
        }
        return [
            open_group(
                group_id,
                task,
                samples_per_task,
                self.max_new_tokens[task.domain],
                self.tokenizer.encode,
                environments.get(task.domain),
                greedy,
                self.context_length,
            )
            for group_id, task in tasks
        ]

    def close(self, groups: Sequence[OpenGroup]) -> list[Group]:
        """The finished groups as records."""
        return [group.close(self.tokenizer.decode) for group in groups]

    def score(self, groups: Sequence[Group]) -> list[Group]:
        """The groups with a verdict for each rollout. A rollout that was aborted says nothing and has no reward."""
        every = [(group.task, rollout) for group in groups for rollout in _rollouts(group)]
        whole = [(task, rollout) for task, rollout in every if rollout.finish_reason != "abort"]
        found = self.pool.score([(task, rollout.text, rollout.messages) for task, rollout in whole])
        verdicts = {
            id(rollout): located(verdict, rollout, self._reader(rollout))
            for (_, rollout), verdict in zip(whole, found, strict=True)
        }
        verdicts |= {id(rollout): _aborted(rollout) for _, rollout in every if rollout.finish_reason == "abort"}
        return [
            replace(
                group,
                verdicts=[verdicts[id(rollout)] for rollout in group.rollouts],
                greedy_verdict=None if group.greedy is None else verdicts[id(group.greedy)],
            )
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

    def _reader(self, rollout: Rollout) -> Decode:
        """How a turn of it became the text that its verifier saw."""
        return self.tokenizer.transcribe if rollout.messages else self.tokenizer.decode

    def _tools(self) -> list[Tool]:
        """Each once, also where several domains have it."""
        tools = [tool for environment in self.environments.values() for tool in environment.tools.values()]
        return list({id(tool): tool for tool in tools}.values())


def _rollouts(group: Group) -> list[Rollout]:
    return [*group.rollouts, *([] if group.greedy is None else [group.greedy])]


def _aborted(rollout: Rollout) -> Verdict:
    failed = [message for message in rollout.messages if message.get("status") == "infra_error"]
    what = f"the tool {failed[-1]['name']} failed: {failed[-1]['content']}" if failed else "the engine gave up"
    return Verdict(None, "infra_error", " ".join(what.split()))
