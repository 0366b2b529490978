"""Groups that are finished in a later step than they began in."""

from __future__ import annotations

from dataclasses import replace

from rlpt.actors import Actors
from rlpt.records import Task
from rlpt.training.stream import RolloutStream
from tests.samplers.test_partial import Counting
from tests.training.stepping import GRPO


class Plain:
    """A tokenizer of numbers."""

    def encode(self, messages: object) -> list[int]:
        return [0]

    def decode(self, ids: object) -> str:
        return str(ids)


def stream(tokens: int | None, sampler: Counting) -> RolloutStream:
    actors = Actors(Plain(), sampler, None, {"short": 3, "long": 9})  # type: ignore[arg-type] # no verdicts here
    return RolloutStream(actors, replace(GRPO, rollout_tokens_per_step=tokens))


def tasks(step: int) -> list[tuple[str, Task]]:
    return [(f"{step}/{domain}", Task(domain, f"{step}", [], {})) for domain in ("long", "short")]


def test_short_ones_do_not_wait_for_long_ones() -> None:
    sampler = Counting()
    rollouts = stream(4, sampler)
    given = []
    for step in range(4):
        sampler.version = step
        given.append([group.group_id for group in rollouts.roll_out(tasks(step), seed=step)])
    assert given == [["0/short"], ["1/short"], ["0/long", "2/short"], ["1/long", "3/short"]]
    metrics = rollouts.take_metrics()
    assert metrics["rl/unfinished_rollouts"] == 2 * GRPO.group_size
    finished, unfinished = 4 * 3 + 2 * 9, 8 + 4
    assert metrics["perf/sampled_tokens"] == (finished + unfinished) * GRPO.group_size
    assert rollouts.take_metrics()["perf/sampled_tokens"] == 0.0


def test_without_a_budget_every_group_ends_in_its_step() -> None:
    rollouts = stream(None, Counting())
    assert len(rollouts.roll_out(tasks(0), seed=0)) == 2
    assert rollouts.state() == []


def test_a_stream_goes_on_from_its_state() -> None:
    sampler = Counting()
    whole, before, after = (stream(4, sampler) for _ in range(3))
    for one in (whole, before):
        one.roll_out(tasks(0), seed=0)
    after.resume(before.state())
    for step in range(1, 4):
        assert after.roll_out(tasks(step), seed=step) == whole.roll_out(tasks(step), seed=step)
