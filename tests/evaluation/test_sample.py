"""Rows of evaluations of domains with tools, and rows from before there were any."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence

from rlpt.evaluation.sample import Sample, sample_from_json, samples_of
from rlpt.records import Group, Message, Rollout, Task, Verdict
from rlpt.tracking.samples import sample_rows

SAID: Sequence[Message] = (
    {"role": "assistant", "content": "call"},
    {"role": "tool", "name": "t", "content": "5", "status": "ok"},
    {"role": "assistant", "content": "It is 5."},
)


def group(messages: Sequence[Message]) -> Group:
    rollout = Rollout("a", "g", 0, [1], [2, 3, 4], [0.0] * 3, [1, 0, 1], [0] * 3, "stop", "It is 5.", messages)
    return Group("g", Task("d", "a", [{"role": "user", "content": "?"}], {}), [rollout], [Verdict(1.0, "correct")])


def test_what_was_said_is_recorded_and_read_again() -> None:
    (sample,) = samples_of([group(SAID)])
    row = json.loads(json.dumps(sample.to_json()))
    read = sample_from_json(row)
    assert read.messages == list(SAID)
    assert (read.text, read.tokens) == ("It is 5.", 2)


def test_rows_without_messages_are_as_before(sample: Callable[..., Sample]) -> None:
    assert "messages" not in sample().to_json()
    assert sample_from_json(sample().to_json()) == sample()


def test_a_reader_sees_every_turn_where_there_are_several() -> None:
    (row,) = sample_rows([group(SAID)], [[0.5]], per_domain=1)
    assert row["answer"] == "assistant: call\n\ntool: 5\n\nassistant: It is 5."
    for messages in ((), SAID[:1]):
        (row,) = sample_rows([group(messages)], [[0.5]], per_domain=1)
        assert row["answer"] == "It is 5."
