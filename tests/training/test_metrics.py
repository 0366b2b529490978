"""Metrics of a step of domains with tools."""

from __future__ import annotations

import pytest

from rlpt.records import Group, Message, Rollout, Task, Verdict
from rlpt.training.metrics import domain_metrics, update_metrics

CALL: Message = {"role": "assistant", "content": "call"}
ANSWER: Message = {"role": "assistant", "content": "5"}


def told(status: str) -> Message:
    return {"role": "tool", "name": "t", "content": "x", "status": status}


def group(*conversations: tuple[Message, ...]) -> Group:
    rollouts = [
        Rollout("a", "g", index, [1], [2, 3, 4], [0.0] * 3, [1, 0, 1], [0] * 3, "stop", "5", messages)
        for index, messages in enumerate(conversations)
    ]
    return Group("g", Task("d", "a", [], {}), rollouts, [Verdict(1.0, "correct") for _ in rollouts])


def test_turns_and_failed_calls_are_counted_by_rollout() -> None:
    metrics = domain_metrics(
        [
            group(
                (ANSWER,),
                (CALL, told("ok"), ANSWER),
                (CALL, told("error"), CALL, told("error"), ANSWER),
                (CALL, told("ok"), told("infra_error")),
            )
        ]
    )
    assert metrics["turns"] == pytest.approx((1 + 2 + 3 + 1) / 4)
    assert metrics["tool_errors"] == 0.5
    assert metrics["length"] == 2.0, "what a tool wrote is no part of the answer"


def test_a_domain_without_tools_has_neither() -> None:
    assert not {"turns", "tool_errors"} & set(domain_metrics([group((), ())]))


def test_a_step_of_several_updates_is_neither_its_first_nor_its_last() -> None:
    first = {"rl/entropy": 1.0, "mismatch/max": 3.0, "perf/trained_tokens": 10.0, "rl/learning_rate": 1e-4}
    last = {"rl/entropy": 2.0, "mismatch/max": 1.0, "perf/trained_tokens": 30.0, "rl/learning_rate": 2e-4}
    assert update_metrics([first, last]) == {
        "rl/updates": 2.0,
        "rl/entropy": 1.5,
        "mismatch/max": 3.0,
        "perf/trained_tokens": 40.0,
        "rl/learning_rate": 2e-4,
    }
    assert update_metrics([]) == {"rl/updates": 0.0, "perf/trained_tokens": 0.0}
