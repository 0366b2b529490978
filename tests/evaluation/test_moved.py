"""The table of tasks that an evaluation won and lost."""

from __future__ import annotations

from rlpt.evaluation.moved import moved_rows
from rlpt.evaluation.sample import Sample


def samples(rewards: dict[str, float]) -> list[Sample]:
    return [
        Sample(
            "arithmetic", task, 0, f"user: {task}?", f"{task} got {reward}", reward, "correct" if reward else "wrong"
        )
        for task, reward in rewards.items()
    ]


def test_it_has_the_tasks_lost_and_won_with_both_answers_but_not_those_that_stayed() -> None:
    before = samples({"a": 1.0, "b": 0.0, "c": 1.0, "d": 0.5})
    after = samples({"a": 0.0, "b": 1.0, "c": 1.0, "d": 0.25})
    rows = moved_rows(before, after, most=5)
    assert [(row["task_id"], row["outcome"]) for row in rows] == [("a", "lost"), ("d", "lost"), ("b", "won")]
    assert rows[0] == {
        "domain": "arithmetic",
        "task_id": "a",
        "outcome": "lost",
        "prompt": "user: a?",
        "answer before": "a got 1.0",
        "answer after": "a got 0.0",
        "reward before": 1.0,
        "reward after": 0.0,
        "status before": "correct",
        "status after": "wrong",
    }
    assert [row["task_id"] for row in moved_rows(before, after, most=1)] == ["a", "b"]
    assert moved_rows(before, before, most=5) == []
