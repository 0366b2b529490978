"""Rollouts that are written in several goes, under several policy versions."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from rlpt.errors import UserError
from rlpt.records import Task
from rlpt.samplers.pending import from_plain, to_plain
from rlpt.samplers.protocol import Request, Sample, ToolCall
from rlpt.samplers.rollouts import OpenGroup, go_on, open_group

EOS = 99


class Counting:
    """A sampler whose policy counts on from the last token: to 10, or without chance to 5; then it stops."""

    def __init__(self) -> None:
        self.version = 0
        self.requests: list[Request] = []

    def sample(self, requests: Sequence[Request], seed: int) -> list[list[Sample]]:
        self.requests += requests
        return [[self._sample(request) for _ in range(request.n)] for request in requests]

    def _sample(self, request: Request) -> Sample:
        first = request.prompt_ids[-1] + 1
        ids = [*range(first, (5 if request.greedy else 10) + 1), EOS]
        cut = ids[: request.max_new_tokens]
        return Sample(cut, [-float(self.version)] * len(cut), "stop" if cut == ids else "length", self.version)

    def tool_calls(self, turns: Sequence[Sequence[int]], tools: Sequence[Mapping[str, Any]]) -> list[list[ToolCall]]:
        raise NotImplementedError

    def load(self, weights: object, version: int) -> None:
        self.version = version

    def close(self) -> None:
        pass


def group(most: int = 100, samples: int = 2, greedy: bool = False) -> OpenGroup:
    return open_group("g", Task("d", "t", [], {"answer": 1}), samples, most, lambda _: [0], greedy=greedy)


def test_a_rollout_goes_on_where_it_stopped_and_each_token_keeps_its_version_and_logprob() -> None:
    sampler, opened = Counting(), group()
    for version in range(3):
        assert not opened.finished
        sampler.version = version
        go_on(sampler, [opened], seed=1, tokens=4)
    assert opened.finished
    (rollout, other) = opened.close(str).rollouts
    assert list(rollout.token_ids) == [*range(1, 11), EOS]
    assert list(rollout.versions) == [0] * 4 + [1] * 4 + [2] * 3
    assert list(rollout.logprobs) == [-0.0] * 4 + [-1.0] * 4 + [-2.0] * 3
    assert rollout.finish_reason == "stop"
    assert rollout.text == str(list(rollout.token_ids)), "the text is that of the whole turn"
    assert other.index == 1


def test_the_limit_of_the_whole_rollout_holds_over_all_goes() -> None:
    sampler, opened = Counting(), group(most=6)
    go_on(sampler, [opened], seed=1, tokens=4)
    assert not opened.finished
    go_on(sampler, [opened], seed=1, tokens=4)
    assert opened.finished
    assert [rollout.finish_reason for rollout in opened.close(str).rollouts] == ["length"] * 2
    assert [request.max_new_tokens for request in sampler.requests] == [4, 2]


def test_a_go_that_exactly_fills_the_context_ends_the_rollout() -> None:
    opened = open_group("g", Task("d", "t", [], {}), 1, 100, lambda _: [0], context_length=9)
    for _ in range(2):
        go_on(Counting(), [opened], seed=1, tokens=4)
    assert opened.finished
    assert opened.close(str).rollouts[0].finish_reason == "length"


def test_a_prompt_that_fills_the_context_is_refused_with_the_task() -> None:
    with pytest.raises(UserError, match=r"task t of domain d takes 9 tokens.* raise policy\.context_length=9"):
        open_group("g", Task("d", "t", [], {}), 1, 100, lambda _: [0] * 9, context_length=9)


@pytest.mark.parametrize("tokens", [6, 7, None])
def test_a_go_that_is_as_long_as_the_limit_ends_the_rollout(tokens: int | None) -> None:
    opened = group(most=6)
    go_on(Counting(), [opened], seed=1, tokens=tokens)
    assert opened.finished


def test_what_has_ended_is_not_asked_for_again() -> None:
    sampler, opened = Counting(), group(greedy=True)
    go_on(sampler, [opened], seed=1, tokens=7)
    assert [(request.n, request.greedy) for request in sampler.requests] == [(2, False), (1, True)]
    assert not opened.finished
    go_on(sampler, [opened], seed=1, tokens=7)
    assert [(request.n, request.greedy) for request in sampler.requests[2:]] == [(2, False)]
    closed = opened.close(str)
    assert closed.greedy is not None
    assert list(closed.greedy.token_ids) == [1, 2, 3, 4, 5, EOS]
    assert len(closed.rollouts) == 2


def test_what_is_unfinished_survives_being_written_down() -> None:
    ways = []
    for written in (False, True):
        sampler, opened = Counting(), group(greedy=True)
        go_on(sampler, [opened], seed=1, tokens=3)
        if written:
            (opened,) = from_plain(json.loads(json.dumps(to_plain([opened]))))
        sampler.version = 1
        go_on(sampler, [opened], seed=2)
        ways.append(opened.close(str))
    assert ways[0] == ways[1]
