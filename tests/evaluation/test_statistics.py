"""What before and after say: by task, with honest intervals, and with the part that is format."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rlpt.evaluation.gate.verdict import GateRules
from rlpt.evaluation.intervals import paired_interval
from rlpt.evaluation.sample import Sample
from rlpt.evaluation.statistics import (
    Weighted,
    compare_samples,
    comparison_from_json,
    format_share,
    summarise,
)

Make = Callable[..., Sample]


def test_tasks_are_paired_and_k_samples_averaged_first(sample: Make):
    before = [sample("a", 0.0), sample("a", 1.0), sample("b", 0.0)]
    after = [sample("b", 1.0), sample("a", 1.0), sample("a", 1.0)]
    (result,) = compare_samples(before, after)
    assert (result.before, result.after, result.delta, result.n) == (0.25, 1.0, 0.75, 2)


def test_samples_without_reward_are_left_out_and_counted(sample: Make):
    before = [sample("a", None), sample("a", 1.0), sample("b", 0.0), sample("c", None)]
    after = [sample("a", 1.0), sample("b", 1.0), sample("c", 1.0), sample("d", math.nan)]
    (result,) = compare_samples(before, after)
    assert (result.before, result.after, result.n) == (0.5, 1.0, 2)
    assert (result.unscored_before, result.unscored_after) == (2, 1)


def test_nothing_scored_is_no_verdict_and_no_error(sample: Make):
    (result,) = compare_samples([sample("a", None)], [sample("a", 1.0)])
    assert result.n == 0
    assert result.delta is None
    assert result.verdict == "no data"
    assert json.loads(json.dumps(result.to_json()))["ci95"] is None
    (alone,) = summarise([sample("a", None)])
    assert (alone.reward, alone.low, alone.n, alone.unscored) == (None, None, 0, 1)


def test_domains_keep_their_order_and_only_common_ones_are_compared(sample: Make):
    before = [sample(domain=name) for name in ("z", "a", "m")]
    after = [sample(domain=name) for name in ("m", "z")]
    assert [item.domain for item in compare_samples(before, after)] == ["z", "m"]


def test_the_verdict_is_the_gates(sample: Make):
    def verdict(won: int, lost: int, same: int) -> str:
        pairs = [(0.0, 1.0)] * won + [(1.0, 0.0)] * lost + [(0.0, 0.0)] * same
        before = [sample(f"t{i}", first) for i, (first, _) in enumerate(pairs)]
        after = [sample(f"t{i}", second) for i, (_, second) in enumerate(pairs)]
        return compare_samples(before, after)[0].verdict

    assert verdict(40, 5, 83) == "improved"
    assert verdict(5, 40, 83) == "regressed"
    assert verdict(10, 8, 110) == "unchanged"
    assert verdict(30, 28, 70) == "not enough data"
    assert verdict(2, 0, 0) == "not enough data"  # two tasks of two prove nothing


def test_a_result_survives_the_way_through_json(sample: Make):
    (result,) = compare_samples([sample("a", 0.0)], [sample("a", 1.0)], GateRules(confidence=0.9))
    values = json.loads(json.dumps(result.to_json()))
    assert set(values) >= {"before", "after", "delta", "ci90", "n", "format_before", "format_after", "verdict"}
    assert comparison_from_json("arithmetic", values) == result


def test_truncation_and_length_count_every_sample(sample: Make):
    before = [sample("a", None, finish_reason="length", tokens=9), sample("a", 1.0, tokens=1)]
    (result,) = compare_samples(before, [sample("a", 1.0)])
    assert (result.truncated_before, result.truncated_after) == (0.5, 0.0)
    assert (result.tokens_before, result.tokens_after) == (5.0, 3.0)


def test_suspicious_verdicts_are_counted_over_all_samples_of_a_domain(sample: Make):
    before = [sample("a", 0.0), sample("b", None)]
    after = [sample("a", 0.0, status="suspicious"), sample("b", 1.0), sample("b", None), sample("c", 0.0)]
    (result,) = compare_samples(before, after)
    assert (result.hack_rate_before, result.hack_rate_after) == (0.0, 0.25)
    assert [item.hack_rate for item in summarise([*after, sample(domain="code")])] == [0.25, 0.0]
    old = {name: value for name, value in result.to_json().items() if not name.startswith("hack_rate")}
    assert comparison_from_json("arithmetic", old).hack_rate_after == 0.0


# ---- intervals ----


def test_the_paired_interval_is_bonett_and_prices():
    # Their formula: p12 = (f12 + 1) / (n + 2), p21 = (f21 + 1) / (n + 2),
    # p12 - p21 +- z sqrt((p12 + p21 - (p12 - p21)^2) / (n + 2)).
    won, lost, same = 12, 5, 33
    n = won + lost + same
    p12, p21 = (won + 1) / (n + 2), (lost + 1) / (n + 2)
    half = 1.959963985 * math.sqrt((p12 + p21 - (p12 - p21) ** 2) / (n + 2))
    low, high = paired_interval([1.0] * won + [-1.0] * lost + [0.0] * same)
    assert low == pytest.approx(p12 - p21 - half)
    assert high == pytest.approx(p12 - p21 + half)


@given(st.lists(st.floats(-1, 1), min_size=1, max_size=60))
def test_an_interval_holds_the_mean_and_is_never_of_width_zero(differences: list[float]):
    low, high = paired_interval(differences)
    mean = math.fsum(differences) / len(differences)
    assert -1.0 <= low <= mean + 1e-9
    assert mean - 1e-9 <= high <= 1.0
    assert high - low > 0.01


@pytest.mark.parametrize("n", [5, 10, 30, 128])
@pytest.mark.parametrize(("won", "lost"), [(0.03, 0.03), (0.15, 0.15), (0.5, 0.05), (0.9, 0.0), (0.1, 0.02)])
def test_the_true_change_lies_inside_as_often_as_promised(n: int, won: float, lost: float):
    # A percentile bootstrap covers 39 % in the cell n = 5, won = 0.9, and 40 % in n = 5, won = 0.1.
    random_ = random.Random(0)
    runs = 600
    inside = 0
    for _ in range(runs):
        low, high = paired_interval(random_.choices([1.0, -1.0, 0.0], [won, lost, 1 - won - lost], k=n))
        inside += low - 1e-12 <= won - lost <= high + 1e-12
    assert inside / runs > 0.95 - 0.03  # three standard errors of the simulation


# ---- format ----


def test_a_gain_that_is_format_alone_is_called_so(sample: Make):
    # Half of the well-formed answers are right, before and after; the form rises from 20 to 100 %.
    before = [sample(f"t{i}", float(i == 0), float(i < 2)) for i in range(10)]
    after = [sample(f"t{i}", float(i < 5), 1.0) for i in range(10)]
    (result,) = compare_samples(before, after)
    assert (result.format_before, result.format_after) == (pytest.approx(0.2), pytest.approx(1.0))
    assert result.delta_from_format == pytest.approx(0.4)
    assert result.delta_from_content == pytest.approx(0.0)


def test_a_gain_with_the_form_unchanged_is_content(sample: Make):
    before = [sample(f"t{i}", float(i < 2), 1.0) for i in range(10)]
    after = [sample(f"t{i}", float(i < 8), 1.0) for i in range(10)]
    (result,) = compare_samples(before, after)
    assert result.delta_from_format == pytest.approx(0.0)
    assert result.delta_from_content == pytest.approx(0.6)


def test_the_parts_are_the_products_of_shares_and_conditional_rewards():
    # P(format) .5 -> .75, P(correct | format) .25 -> .5: format .25 * .375, content .25 * .625.
    before = [Weighted(1 / 8, float(i == 0), float(i < 4)) for i in range(8)]
    after = [Weighted(1 / 8, float(i < 3), float(i < 6)) for i in range(8)]
    assert format_share(before, after) == pytest.approx((0.25 * 0.375, 0.25 * 0.625))


def test_a_form_that_was_never_there_before_counts_as_format(sample: Make):
    before = [sample(f"t{i}", 0.0, 0.0) for i in range(4)]
    after = [sample(f"t{i}", 1.0, 1.0) for i in range(4)]
    (result,) = compare_samples(before, after)
    assert result.delta_from_format == pytest.approx(1.0)


@given(
    st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=20),
    st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=20),
)
def test_the_parts_add_up_whatever_was_answered(first: list[tuple[bool, bool]], second: list[tuple[bool, bool]]):
    before = [Weighted(1 / len(first), float(right), float(form)) for right, form in first]
    after = [Weighted(1 / len(second), float(right), float(form)) for right, form in second]
    parts = format_share(before, after)
    assert parts is not None
    change = sum(item.weight * item.reward for item in after) - sum(item.weight * item.reward for item in before)
    assert sum(parts) == pytest.approx(change, abs=1e-12)
    back = format_share(after, before)
    assert back is not None
    assert back[0] == pytest.approx(-parts[0], abs=1e-12)


def test_without_a_format_part_nothing_is_said_of_it(sample: Make):
    (result,) = compare_samples([sample("a", 0.0, None)], [sample("a", 1.0, None)])
    assert result.format_before is None
    assert result.delta_from_format is None
