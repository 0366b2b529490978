"""pass@k and majority@k against what they are defined by: draws without replacement, and votes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from itertools import combinations, product
from math import comb

import pytest

from rlpt.evaluation.rates import majority, pass_at, powers_of_two
from rlpt.evaluation.sample import Sample
from rlpt.evaluation.statistics import summarise
from rlpt.evaluation.summary import evaluation_metrics, evaluation_summary
from rlpt.evaluation.table import WIDTH, pass_table, plain_text, summary_table

Make = Callable[..., Sample]


@pytest.mark.parametrize("n", [1, 2, 5, 8])
def test_pass_at_k_is_the_share_of_draws_with_a_right_one(n: int):
    for c, k in product(range(n + 1), range(1, n + 1)):
        right = [True] * c + [False] * (n - c)
        draws = list(combinations(right, k))
        assert pass_at(k, right) == pytest.approx(sum(any(draw) for draw in draws) / len(draws))
        assert pass_at(k, right) == pytest.approx(1 - comb(n - c, k) / comb(n, k))


def test_pass_at_k_of_fewer_samples_is_refused():
    with pytest.raises(ValueError, match="pass@3 of 2"):
        pass_at(3, [True, False])


@pytest.mark.parametrize(
    ("answers", "right", "value"),
    [
        (["5", "5", "7"], [1, 1, 0], 1.0),
        (["5", "7", "7"], [1, 0, 0], 0.0),
        (["5", "7"], [1, 0], 0.5),
        (["5", "7", "9"], [1, 0, 0], pytest.approx(1 / 3)),
        (["5", "", ""], [1, 0, 0], 1.0),  # what gives no answer has no vote
        (["", ""], [0, 0], 0.0),
        (["5", "5"], [1, 0], 0.5),  # one of the two was refused for something beside the answer
        (["5", None], [1, 0], None),
        ([], [], None),
    ],
)
def test_the_majority(answers: list[str | None], right: list[int], value: float | None):
    assert majority(answers, [bool(good) for good in right]) == value


def test_ties_are_what_chance_would_give():
    answers, right = ["a", "b", "b", "c", "c", "d"], [False, True, True, False, False, False]
    counts = Counter(answers)
    best = [answer for answer in counts if counts[answer] == 2]
    assert majority(answers, right) == sum(answer == "b" for answer in best) / len(best)


def test_powers_of_two():
    assert [powers_of_two(most) for most in (0, 1, 5, 8)] == [[], [1], [1, 2, 4], [1, 2, 4, 8]]


def answered(make: Make, task_id: str, answers: str, expected: str = "a", **changes: object) -> list[Sample]:
    return [make(task_id, float(one == expected), index=i, answer=one, **changes) for i, one in enumerate(answers)]


def test_a_domain_has_the_means_over_its_tasks(sample: Make):
    samples = [*answered(sample, "one", "aabb"), *answered(sample, "two", "aaab"), *answered(sample, "three", "bbbb")]
    (found,) = summarise(samples)
    assert found.reward == pytest.approx((0.5 + 0.75 + 0.0) / 3)
    assert found.pass_at[1].value == pytest.approx(found.reward)
    assert found.pass_at[2].value == pytest.approx((5 / 6 + 1.0 + 0.0) / 3)
    assert found.pass_at[4].value == pytest.approx(2 / 3)
    assert found.majority is not None
    assert found.majority.value == pytest.approx((0.5 + 1.0 + 0.0) / 3)
    assert found.pass_at[4].low < 2 / 3 < found.pass_at[4].high


def test_samples_without_a_verdict_are_left_out(sample: Make):
    short = [*answered(sample, "one", "aa"), sample("one", None, index=2), sample("one", None, index=3)]
    (found,) = summarise([*short, *answered(sample, "two", "bbbb")])
    assert {k: rate.n for k, rate in found.pass_at.items()} == {1: 2, 2: 2, 4: 1}
    assert found.pass_at[4].value == 0.0
    assert found.majority is not None
    assert found.majority.n == 1


def test_metrics_and_summary_have_them(sample: Make):
    summaries = summarise([*answered(sample, "one", "ab"), *answered(sample, "two", "aa")])
    metrics = evaluation_metrics(summaries)
    assert metrics["eval/arithmetic/pass_at_2"] == 1.0
    assert metrics["eval/arithmetic/majority_at_2"] == 0.75
    domain = evaluation_summary(summaries, 0.95, wall_s=1.0)["domains"]["arithmetic"]
    assert domain["pass_at"]["2"]["value"] == 1.0
    assert domain["pass_at"]["1"]["ci95"][0] < 0.75 < domain["pass_at"]["1"]["ci95"][1]
    assert domain["majority"]["n"] == 2
    single = evaluation_metrics(summarise([sample("one", answer="a")]))
    assert not [name for name in single if "_at_" in name]


def test_the_tables_stay_readable(sample: Make):
    names = ("a_domain_with_a_name_that_is_rather_long_for_a_column_of_a_table", "code")
    samples = [
        item for name in names for task in "xyz" for item in answered(sample, task, "ab" * 64, domain=name, tokens=9999)
    ]
    hacked = [*samples, sample("w", 0.0, domain="code", status="suspicious", answer=None)]
    summaries = summarise(hacked)
    table = pass_table(summaries)
    assert table is not None
    for one in (summary_table(summaries), table):
        assert max(map(len, plain_text(one).splitlines())) <= WIDTH
    rows = [line.split() for line in plain_text(table).splitlines()[3:]]
    assert [row[1] for row in rows if row[0] == "code"] == ["1", "2", "4", "8", "16", "32", "64", "128"]
    assert pass_table(summarise([sample("one")])) is None
