"""The rounds of rollouts with tools: all that can go on take a turn together, then their calls are answered."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor

from rlpt.samplers.protocol import Sampler
from rlpt.samplers.trail import Answered, Environment, Trail
from rlpt.tools.belt import Belt, Places
from rlpt.tools.protocol import Tool


def converse(sampler: Sampler, trails: Sequence[Trail], seed: int) -> None:
    """Bring trails with tools, whose first turn is written, to their end.

    A trail whose tools have no free place pauses: it takes no part in the rounds until one that has ends.
    """
    places = Places(_all_tools(map(_environment, trails)))
    fresh, waiting, number = _open(trails), list[Trail](), 1
    try:
        while True:
            _read_calls(sampler, fresh)
            _leave(fresh, places)
            waiting = sorted([*waiting, *_open(fresh)], key=lambda trail: trail.belt is None)
            if not waiting:
                return
            # Whoever ended has given its places back, so at least one goes on: nobody waits for ever.
            ready = [trail for trail in waiting if _take_belt(trail, places)]
            waiting = [trail for trail in waiting if trail.belt is None]
            for trail, answered in zip(ready, _answer(ready), strict=True):
                trail.add_replies(answered)
            _leave(ready, places)
            fresh = _open(ready)
            sample_turns(sampler, fresh, _round_seed(seed, number))
            number += 1
    finally:
        for trail in trails:
            if trail.belt is not None:
                trail.belt.close()


def sample_turns(sampler: Sampler, trails: Sequence[Trail], seed: int, tokens: int | None = None) -> None:
    """The next turn of each trail; of trails without tools at most so many `tokens` of it.

    Those of a group that are alike so far are one request: with seeds for single requests they would else be given the
    same next turn.
    """
    alike: dict[tuple[str, bool, tuple[int, ...]], list[Trail]] = defaultdict(list)
    for trail in trails:
        alike[trail.group_id, trail.greedy, tuple(trail.token_ids)].append(trail)
    requests = [own[0].request(len(own), tokens if own[0].environment is None else None) for own in alike.values()]
    for own, request, samples in zip(alike.values(), requests, sampler.sample(requests, seed), strict=True):
        for trail, sample in zip(own, samples, strict=True):
            trail.add_turn(sample, request.max_new_tokens)


def _read_calls(sampler: Sampler, trails: Sequence[Trail]) -> None:
    """Find the calls in the last turns; a trail without one has ended."""
    by_domain: dict[str, list[Trail]] = defaultdict(list)
    for trail in _open(trails):
        by_domain[trail.task.domain].append(trail)
    for own in by_domain.values():
        environment = _environment(own[0])
        found = sampler.tool_calls([trail.turn for trail in own], environment.schemas())
        for trail, calls in zip(own, found, strict=True):
            trail.calls = calls[: environment.max_calls]
            if not calls:
                trail.finish_reason = "stop"


def _take_belt(trail: Trail, places: Places) -> bool:
    """Whether the trail has its tools, now or from before."""
    tools = _environment(trail).tools
    if trail.belt is None and places.take(tools):
        trail.belt = Belt(tools)
    return trail.belt is not None


def _leave(trails: Iterable[Trail], places: Places) -> None:
    """Those that have ended give their tools back."""
    for trail in trails:
        if trail.finish_reason is not None and trail.belt is not None:
            trail.belt.close()
            trail.belt = None
            places.give_back(_environment(trail).tools)


def _answer(trails: Sequence[Trail]) -> list[Answered]:
    """What the tools say to each trail's calls, those of different trails at once."""
    if not trails:
        return []
    with ThreadPoolExecutor(len(trails), thread_name_prefix="tools") as threads:
        return list(threads.map(_answer_one, trails))


def _answer_one(trail: Trail) -> Answered:
    belt = trail.belt
    assert belt is not None
    return [(call, belt.call(call.name, call.arguments)) for call in trail.calls]


def _environment(trail: Trail) -> Environment:
    assert trail.environment is not None
    return trail.environment


def _open(trails: Sequence[Trail]) -> list[Trail]:
    return [trail for trail in trails if trail.finish_reason is None]


def _all_tools(environments: Iterable[Environment]) -> dict[str, Tool]:
    return {name: tool for environment in environments for name, tool in environment.tools.items()}


def _round_seed(seed: int, number: int) -> int:
    """The seed of a later round; ranks add their number to it, so that neighbouring seeds would meet."""
    return int.from_bytes(hashlib.sha256(f"{seed}/round/{number}".encode()).digest()[:7], "big")
