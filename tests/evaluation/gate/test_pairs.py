"""Which tasks are compared, and with how many samples."""

from __future__ import annotations

import math
import random

from rlpt.evaluation.gate.pairs import equally_many, mean_reward, pair_tasks, rewards_by_domain
from rlpt.evaluation.gate.signs import p_values
from rlpt.evaluation.sample import Sample


def test_tasks_are_paired_by_id_and_samples_averaged():
    pairs = pair_tasks({"a": [0.0, 1.0], "b": [1.0, 1.0]}, {"b": [0.0, 0.0], "a": [1.0, 1.0]})
    assert (pairs.before, pairs.after, pairs.differences) == ([0.5, 1.0], [1.0, 0.0], [0.5, -1.0])
    assert (pairs.left_out, pairs.samples) == (0, 2)


def test_what_was_not_scored_on_both_sides_is_left_out_and_counted():
    before = {"a": [1.0], "b": [None], "c": [math.nan], "d": [1.0], "e": [1.0], "f": []}
    after = {"a": [0.0], "b": [1.0], "c": [1.0], "d": [math.inf], "g": [1e200], "f": [1.0]}
    pairs = pair_tasks(before, after)
    assert (pairs.differences, pairs.left_out) == ([-1.0], 6)


def test_nothing_in_common():
    pairs = pair_tasks({"a": [1.0]}, {"b": [1.0]})
    assert (pairs.differences, pairs.left_out, pairs.samples) == ([], 2, 0)
    assert pair_tasks({}, {}).differences == []


def test_the_first_samples_count_where_one_side_has_more():
    pairs = pair_tasks({"a": [None, 1.0, 0.0, 0.0], "b": [0.0]}, {"a": [1.0], "b": [1.0, 0.0]})
    assert (pairs.before, pairs.after) == ([1.0, 0.0], [1.0, 1.0])
    assert pairs.samples == 1
    assert equally_many([1, 2, 3], [4, 5]) == ([1, 2], [4, 5])


def test_unequal_numbers_of_samples_are_no_false_alarm():
    """Eight samples beside two, tasks that are solved once in a hundred: with all samples a third of runs alarm."""
    rng, alarms, runs = random.Random(0), 0, 200
    for _ in range(runs):
        sides = [{str(t): [float(rng.random() < 0.01) for _ in range(k)] for t in range(200)} for k in (8, 2)]
        alarms += p_values(pair_tasks(*sides).differences)[0] <= 0.05
    assert alarms / runs <= 0.08


def test_samples_become_rewards_by_domain_and_task():
    def sample(domain: str, task: str, index: int, reward: float | None) -> Sample:
        return Sample(domain, task, index, "", "", reward, "")

    found = rewards_by_domain(
        [sample("x", "a", 1, 0.5), sample("y", "a", 0, None), sample("x", "a", 0, 1.0), sample("x", "a", 1, 0.0)]
    )
    assert found == {"x": {"a": [1.0, 0.5]}, "y": {"a": [None]}}
    assert rewards_by_domain([]) == {}


def test_a_mean_reward_is_over_tasks_and_what_was_scored_of_them():
    assert mean_reward({"a": [1.0, 0.0], "b": [None, 1.0], "c": [math.inf], "d": []}) == 0.75
    assert mean_reward({"a": [None]}) is None
