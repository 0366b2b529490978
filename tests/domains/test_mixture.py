"""The mixture: exact shares over time, whole passes, the same whatever was taken before."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rlpt.domains.mixture import Turn, WeightedMixture, shares
from rlpt.errors import UserError
from rlpt.records import Task

SIZES = {"a": 7, "b": 20, "c": 3}


def tasks() -> dict[str, list[Task]]:
    return {name: [Task(name, f"{name}{n}", [], {}) for n in range(size)] for name, size in SIZES.items()}


def mixture(weights: dict[str, float] | None = None, seed: int = 0, tasks_per_step: int = 5) -> WeightedMixture:
    return WeightedMixture(tasks(), weights or {"a": 1.0, "b": 1.0, "c": 1.0}, seed, tasks_per_step)


@given(
    st.lists(st.floats(0.01, 10.0), min_size=3, max_size=3),
    st.integers(1, 16),
    st.integers(1, 30),
)
def test_shares_are_exact_to_within_a_task_at_every_step(weights: list[float], tasks_per_step: int, steps: int):
    by_name = dict(zip("abc", weights, strict=True))
    stream = mixture(by_name, tasks_per_step=tasks_per_step)
    counts: Counter[str] = Counter()
    for step in range(1, steps + 1):
        taken = stream.take(step)
        assert len(taken) == tasks_per_step
        counts.update(task.domain for task in taken)
        for name, weight in by_name.items():
            exact = step * tasks_per_step * weight / sum(weights)
            assert abs(counts[name] - exact) < 1.5


def test_equal_weights_give_equal_counts():
    counts = Counter(task.domain for step in range(1, 7) for task in mixture(tasks_per_step=4).take(step))
    assert counts == {"a": 8, "b": 8, "c": 8}


def test_no_task_comes_again_before_all_have_come():
    stream = mixture()
    seen = [task.task_id for step in range(1, 13) for task in stream.take(step) if task.domain == "a"]
    first, second = seen[:7], seen[7:14]
    assert len(set(first)) == 7
    assert len(set(second)) == len(second) > 0
    assert first != second


def test_a_step_is_the_same_whatever_was_taken_before():
    one, other = mixture(), mixture()
    wanted = [one.take(step) for step in range(1, 10)]
    assert other.take(9) == wanted[8]
    assert other.take(3) == wanted[2]
    assert other.take(3) == wanted[2]


def test_seeds_change_the_order():
    assert [mixture(seed=0).take(step) for step in (1, 2)] != [mixture(seed=1).take(step) for step in (1, 2)]


def test_a_weight_of_0_leaves_a_domain_out():
    stream = mixture({"a": 1.0, "b": 0.0, "c": 3.0}, tasks_per_step=4)
    assert Counter(task.domain for task in stream.take(1)) == {"a": 1, "c": 3}


@pytest.mark.parametrize(
    ("weights", "tasks_per_step", "part"),
    [
        ({"a": 0.0, "b": 0.0, "c": 0.0}, 4, "Every domain"),
        ({"a": -1.0, "b": 1.0, "c": 1.0}, 4, "domain.a.weight=-1.0 is negative"),
        ({"a": 1.0, "b": 1.0, "c": 1.0}, 0, "mixture.tasks_per_step=0"),
    ],
)
def test_what_gives_no_tasks_is_an_error(weights: dict[str, float], tasks_per_step: int, part: str):
    with pytest.raises(UserError, match=part):
        mixture(weights, tasks_per_step=tasks_per_step)


def test_a_domain_without_tasks_is_an_error():
    with pytest.raises(UserError, match="Domain a has no training tasks"):
        WeightedMixture({"a": []}, {"a": 1.0}, 0, 4)


def test_steps_are_counted_from_1():
    with pytest.raises(ValueError, match="from 1"):
        mixture().take(0)


def test_a_turn_takes_the_stream_back_and_on_with_other_shares():
    stream = mixture(tasks_per_step=6)
    before = [stream.take(step) for step in range(1, 9)]
    turns = [Turn(taken=4, factors={"a": 0.25})]
    after = [stream.take(step, turns) for step in range(1, 19)]
    assert after[:4] == before[:4]
    counts = Counter(task.domain for step in after[4:] for task in step)
    parts = shares({"a": 1.0, "b": 1.0, "c": 1.0}, {"a": 0.25})
    for name, share in parts.items():
        assert abs(counts[name] - share * 6 * 14) < 1.5
    assert [stream.take(step) for step in range(1, 9)] == before


def test_a_turn_that_changes_nothing_changes_nothing():
    stream = mixture({"a": 2.0, "b": 1.0, "c": 0.5})
    assert [stream.take(step, [Turn(taken=3)]) for step in range(1, 20)] == [stream.take(step) for step in range(1, 20)]


def test_a_new_seed_takes_what_is_left_of_a_pass_in_another_order():
    stream = mixture({"b": 1.0, "a": 0.0, "c": 0.0})
    old = [task.task_id for step in range(1, 5) for task in stream.take(step)]
    new = [task.task_id for step in range(1, 5) for task in stream.take(step, [Turn(taken=1, reseeds=1)])]
    assert new[:5] == old[:5]
    assert new != old
    assert set(new) == set(old), "no task comes again before all have come"
    again = [task.task_id for step in range(1, 5) for task in stream.take(step, [Turn(taken=1, reseeds=2)])]
    assert again not in (old, new)


def test_a_step_after_turns_is_the_same_whatever_was_taken_before():
    turns = [Turn(taken=2, factors={"b": 0.5}, reseeds=1), Turn(taken=5, factors={"b": 0.5, "c": 0.0}, reseeds=2)]
    one, other = mixture(), mixture()
    wanted = [one.take(step, turns) for step in range(1, 10)]
    assert other.take(9, turns) == wanted[8]
    assert other.take(2) == wanted[1]
    assert other.take(6, turns) == wanted[5]
    assert "c" not in {task.domain for step in wanted[5:] for task in step}
