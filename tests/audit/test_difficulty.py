"""How hard tasks are for a policy, from its rewards alone."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rlpt.audit.difficulty import (
    BINS,
    Level,
    PassAt,
    assess,
    difficulty_part,
    difficulty_table,
    equal_rewards,
    pass_at,
)
from rlpt.evaluation.sample import Sample
from rlpt.evaluation.table import plain_text
from rlpt.records import Task

EIGHTHS = {f"t{solved}": [1.0] * solved + [0.0] * (8 - solved) for solved in range(9)}
"""Nine tasks, solved by 0, 1, ..., 8 of 8 samples."""

outcomes = st.lists(st.sampled_from([0.0, 1.0]), min_size=1, max_size=12)
partial = st.lists(st.sampled_from([0.0, 0.5, 1.0]), min_size=1, max_size=7)


@pytest.mark.parametrize(
    ("samples", "solved", "tries", "chance"),
    [
        (4, 1, 1, 1 / 4),
        (4, 1, 2, 1 - 3 / 6),  # of the 6 pairs 3 lack the solved one
        (4, 2, 2, 1 - 1 / 6),
        (5, 2, 3, 1 - 1 / 10),
        (4, 3, 2, 1.0),
        (4, 0, 4, 0.0),
        (4, 1, 4, 1.0),
    ],
)
def test_pass_at_by_hand(samples: int, solved: int, tries: int, chance: float) -> None:
    assert pass_at(samples, solved, tries) == pytest.approx(chance, abs=1e-12)


@pytest.mark.parametrize(("samples", "solved", "tries"), [(4, 1, 5), (4, 1, 0), (4, 5, 1), (4, -1, 1)])
def test_pass_at_of_more_tries_than_samples_is_refused(samples: int, solved: int, tries: int) -> None:
    with pytest.raises(ValueError, match="say nothing"):
        pass_at(samples, solved, tries)


@given(outcomes)
def test_pass_at_1_is_the_mean_and_it_grows_with_tries(rewards: Sequence[float]) -> None:
    n, solved = len(rewards), round(sum(rewards))
    chances = [pass_at(n, solved, tries) for tries in range(1, n + 1)]
    assert chances[0] == pytest.approx(solved / n)
    assert all(low <= high + 1e-12 for low, high in itertools.pairwise(chances))
    assert chances[-1] == (1.0 if solved else 0.0)


@given(outcomes, st.data())
def test_pass_at_is_the_share_of_subsets_with_a_solved_sample(rewards: Sequence[float], data: st.DataObject) -> None:
    tries = data.draw(st.integers(1, min(len(rewards), 4)))
    subsets = list(itertools.combinations(rewards, tries))
    share = sum(max(subset) == 1.0 for subset in subsets) / len(subsets)
    assert pass_at(len(rewards), round(sum(rewards)), tries) == pytest.approx(share)


@given(st.integers(1, 10), st.data(), st.floats(0, 1))
def test_pass_at_is_right_on_average_whatever_the_number_of_samples(n: int, data: st.DataObject, p: float) -> None:
    tries = data.draw(st.integers(1, n))
    mean = sum(math.comb(n, c) * p**c * (1 - p) ** (n - c) * pass_at(n, c, tries) for c in range(n + 1))
    assert mean == pytest.approx(1 - (1 - p) ** tries, abs=1e-9)


@given(partial, st.data())
def test_equal_rewards_is_the_share_of_groups_among_the_samples(rewards: Sequence[float], data: st.DataObject) -> None:
    size = data.draw(st.integers(1, len(rewards)))
    groups = list(itertools.combinations(rewards, size))
    share = sum(len(set(group)) == 1 for group in groups) / len(groups)
    assert equal_rewards(rewards, size) == pytest.approx(share)


@given(st.integers(2, 9), st.data(), st.floats(0, 1))
def test_equal_rewards_is_right_on_average_from_as_many_samples_as_a_group(
    n: int, data: st.DataObject, p: float
) -> None:
    size = data.draw(st.integers(2, n))
    mean = sum(
        math.comb(n, c) * p**c * (1 - p) ** (n - c) * equal_rewards([1.0] * c + [0.0] * (n - c), size)
        for c in range(n + 1)
    )
    assert mean == pytest.approx(p**size + (1 - p) ** size, abs=1e-9)


@pytest.mark.parametrize(
    ("rewards", "size", "chance"),
    [
        ([1.0, 1.0, 1.0, 0.0], 2, 3 / 6),
        ([1.0, 1.0, 0.0, 0.0], 2, 2 / 6),
        ([1.0, 0.0], 4, 2 / 2**4),  # fewer samples than a group: under the observed shares
        ([0.5, 0.5, 0.5], 3, 1.0),
        ([0.5, 0.4, 0.3], 2, 0.0),  # no sample gets the full reward, and still they can be told apart
    ],
)
def test_equal_rewards_by_hand(rewards: Sequence[float], size: int, chance: float) -> None:
    assert equal_rewards(rewards, size) == pytest.approx(chance)


def test_tasks_are_counted_by_how_often_they_are_solved() -> None:
    found = assess(EIGHTHS, {}, group_size=2)
    assert dict(zip(BINS, found.counts, strict=True)) == {
        "solved by no sample: too hard": 1,
        "solved by up to 1/4": 2,
        "by more, up to 1/2": 2,
        "by more, up to 3/4": 2,
        "by more, but not by all": 1,
        "solved by every sample: too easy": 1,
    }
    assert (found.too_hard, found.too_easy) == (["t0"], ["t8"])
    assert [one.tries for one in found.pass_at] == [1, 2, 4, 8]
    assert found.pass_at[0].chance == pytest.approx(0.5)
    assert found.pass_at[-1].chance == pytest.approx(8 / 9)
    # pairs among 8 samples with c solved: (C(c,2) + C(8-c,2)) / 28
    pairs = [(c * (c - 1) + (8 - c) * (7 - c)) / 56 for c in range(9)]
    assert found.silent == pytest.approx(sum(pairs) / 9)
    assert found.guessed == 0


def test_a_share_of_the_full_reward_solves_nothing() -> None:
    found = assess({"a": [0.9, 0.99], "b": [1.0, 0.0]}, {}, group_size=2)
    assert found.too_hard == ["a"]
    assert found.silent == 0.0


def test_what_was_not_scored_is_left_out_and_counted() -> None:
    found = assess({"a": [None, 1.0, 1.0, None], "b": [None] * 4, "c": [0.0, 1.0, 0.0, 0.0]}, {}, group_size=4)
    assert found.too_easy == ["a"]
    assert found.too_hard == []
    assert (found.unscored_samples, found.unscored_tasks, found.guessed) == (6, ["b"], 1)
    assert found.pass_at == [PassAt(1, pytest.approx((1 + 1 / 4) / 2), 2), PassAt(2, 0.75, 2), PassAt(4, 1.0, 1)]
    assert difficulty_table(found).notes == [
        "Samples that were not scored, left out: 6.",
        "Tasks without a scored sample, left out: 1.",
        "Tasks with fewer scored samples than 4; equal rewards are put too high: 1.",
    ]


def test_solve_rates_are_told_by_quarters_of_the_domains_own_difficulty() -> None:
    rewards = {str(number): [1.0 if number < 4 else 0.0] for number in range(8)}
    found = assess(rewards, {str(number): float(number) for number in range(8)}, group_size=1)
    assert found.levels == [Level(0, 1, 2, 1.0), Level(2, 3, 2, 1.0), Level(4, 5, 2, 0.0), Level(6, 7, 2, 0.0)]


def test_equal_difficulties_stay_together_and_tasks_without_one_are_left_out() -> None:
    rewards: dict[str, list[float | None]] = {"a": [1.0, 1.0], "b": [1.0, 0.0], "c": [0.0, 0.0], "d": [1.0, 1.0]}
    found = assess(rewards, {"a": 1.0, "b": 1.0, "c": 2.0, "d": None}, group_size=2)
    assert found.levels == [Level(1, 1, 2, 0.75), Level(2, 2, 1, 0.0)]
    assert assess(rewards, {}, group_size=2).levels == []
    many: dict[str, list[float | None]] = {name: [1.0] for name in "abcdefgh"}
    middle = assess(many, {name: {"a": 1.0, "h": 3.0}.get(name, 2.0) for name in many}, group_size=2)
    assert [(level.low, level.high, level.tasks) for level in middle.levels] == [(1, 1, 1), (2, 2, 6), (3, 3, 1)]


@given(st.lists(st.tuples(st.integers(0, 5), outcomes), min_size=1, max_size=40))
def test_levels_and_bins_part_the_tasks(tasks: Sequence[tuple[int, Sequence[float]]]) -> None:
    rewards = {str(place): own for place, (_, own) in enumerate(tasks)}
    found = assess(rewards, {str(place): float(own) for place, (own, _) in enumerate(tasks)}, group_size=4)
    assert sum(found.counts) == sum(level.tasks for level in found.levels) == len(tasks)
    assert len(found.levels) <= 4
    assert all(left.high < right.low for left, right in itertools.pairwise(found.levels))
    assert found.counts[0] == len(found.too_hard)
    assert found.counts[-1] == len(found.too_easy)


def test_a_group_of_none_is_refused() -> None:
    with pytest.raises(ValueError, match="1 sample or more"):
        assess(EIGHTHS, {}, group_size=0)


def test_without_a_scored_sample_there_is_nothing_to_tell() -> None:
    text = plain_text(difficulty_table(assess({"a": [None]}, {"a": 1.0}, group_size=8)))
    assert "pass@" not in text
    assert text.splitlines()[2].split()[-2:] == ["0", "-"]


def test_the_table_by_hand() -> None:
    found = assess({"a": [1.0, 1.0], "b": [1.0, 0.0], "c": [0.0, 0.0]}, {"a": 1.0, "b": 3.0, "c": 20.0}, group_size=2)
    table = plain_text(difficulty_table(found))
    assert [line.split()[-2:] for line in table.splitlines()[2:]] == [
        *(["1", "0.333"], ["0", "0.000"], ["1", "0.333"], ["0", "0.000"], ["0", "0.000"], ["1", "0.333"]),
        *(["3", "0.500"], ["3", "0.667"], ["3", "0.667"]),
        *(["1", "1.000"], ["1", "0.500"], ["1", "0.000"]),
    ]
    assert max(len(line) for line in table.splitlines()) <= 100


def test_a_share_is_written_as_1_only_where_it_is() -> None:
    rewards: dict[str, list[float | None]] = {str(number): [1.0] for number in range(5000)}
    rows = difficulty_table(assess({**rewards, "hard": [0.0]}, {}, group_size=1)).rows
    assert [row[2] for row in rows if row[0].startswith(("solved by no", "pass@1"))] == ["0.001", "0.999"]


def test_the_part_lists_tasks_that_teach_nothing_and_writes_them_all() -> None:
    tasks = [Task("d", name, [], {}, difficulty) for name, difficulty in (("a", 1.0), ("b", None), ("c", 2.0))]
    rewards = {"a": [1.0, 1.0], "b": [0.0, None], "c": [0.0, 1.0]}
    samples = [
        Sample("d", name, place, "", "", reward, "correct")
        for name, own in rewards.items()
        for place, reward in enumerate(own)
    ]
    part = difficulty_part("d", tasks, samples, group_size=2)
    assert part.lines == ["too hard: b", "too easy: a"]
    assert part.sound
    assert [(row["task_id"], row["scored"], row["solved"], row["equal_rewards"]) for row in part.rows] == [
        *(("a", 2, 2, 1.0), ("b", 1, 0, 1.0), ("c", 2, 1, 0.0)),
    ]
    assert [row["difficulty"] for row in part.rows] == [1.0, None, 2.0]
