"""Each domain's part in a step."""

from __future__ import annotations

from dataclasses import replace

import pytest

from rlpt.training.composition import composition
from tests.training.stepping import group


def of(domain: str, answers: list[list[int]]):
    one = group(domain, [1], answers, [1.0] * len(answers))
    return replace(one, task=replace(one.task, domain=domain))


def test_shares_of_tasks_tokens_and_signal() -> None:
    groups = [of("a", [[1, 2, 3], [4]]), of("a", [[5, 6], [7, 8]]), of("b", [[9, 10], [11, 12]])]
    found = composition(["a", "b", "absent"], groups, [[1.0, -1.0], [0.0, 0.0], [3.0, -3.0]])
    assert found == pytest.approx(
        {
            "train/a/task_share": 2 / 3,
            "train/a/token_share": 8 / 12,
            "train/a/signal_share": 4 / 16,
            "train/b/task_share": 1 / 3,
            "train/b/token_share": 4 / 12,
            "train/b/signal_share": 12 / 16,
            "train/absent/task_share": 0.0,
            "train/absent/token_share": 0.0,
            "train/absent/signal_share": 0.0,
            "train/a/entropy": 3.0,
            "train/b/entropy": 3.0,
        }
    )


def test_without_signal_there_is_no_share_of_it() -> None:
    found = composition(["a"], [of("a", [[1], [2]])], [[0.0, 0.0]])
    assert set(found) == {"train/a/task_share", "train/a/token_share", "train/a/entropy"}


def test_only_what_the_policy_wrote_counts() -> None:
    one = of("a", [[1, 2, 3, 4]])
    rollout = replace(one.rollouts[0], action_mask=[1, 0, 0, 1], logprobs=[-1.0, 0.0, 0.0, -2.0])
    found = composition(["a"], [replace(one, rollouts=[rollout])], [[1.0]])
    assert found["train/a/entropy"] == 1.5
