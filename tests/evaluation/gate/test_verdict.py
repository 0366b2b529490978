"""The verdict on each domain, also where there is little or nothing to go by."""

from __future__ import annotations

import json
import math
from dataclasses import asdict

import pytest

from rlpt.errors import UserError
from rlpt.evaluation.gate.looks import look_levels
from rlpt.evaluation.gate.table import gate_table
from rlpt.evaluation.gate.verdict import DomainVerdict, GateRules, judge, rules_of
from rlpt.evaluation.table import WIDTH, plain_text

Domain = dict[str, list[float | None]]


def domain(solved: int, tasks: int, k: int = 1) -> Domain:
    """The first `solved` of the tasks are right every time."""
    return {f"t{task}": [float(task < solved)] * k for task in range(tasks)}


def verdict(before: Domain, after: Domain, rules: GateRules | None = None, **more: float) -> DomainVerdict:
    (found,) = judge({"d": before}, {"d": after}, rules or GateRules(), **more)
    return found


def test_the_verdict_follows_the_adjusted_p_value():
    assert verdict(domain(150, 200), domain(120, 200)).outcome == "regressed"
    assert verdict(domain(120, 200), domain(150, 200)).outcome == "improved"
    assert verdict(domain(120, 200), domain(118, 200)).outcome == "unchanged"
    assert verdict(domain(12, 20), domain(10, 20)).outcome == "not enough data"


def test_the_figures():
    found = verdict({**domain(150, 200), "x": [None]}, {**domain(120, 200), "y": [1.0]})
    assert (found.n, found.left_out) == (200, 2)
    assert (found.before, found.after, found.delta) == pytest.approx((0.75, 0.6, -0.15))
    assert found.low < found.delta < found.high < 0
    assert found.p_worse == found.adjusted_worse == pytest.approx(2**-30, abs=1e-11)
    assert found.p_better == found.adjusted_better == pytest.approx(1.0)
    assert found.confidence == 0.95
    assert json.loads(json.dumps(asdict(found)))["outcome"] == "regressed"


def test_more_domains_and_looks_ask_for_more():
    before, after = domain(150, 200), domain(143, 200)  # seven lost, none won: p = 1/128
    assert verdict(before, after).outcome == "regressed"
    noise = {f"t{task}": [float(task % 2)] for task in range(200)}
    other = {f"t{task}": [float((task // 2) % 2)] for task in range(200)}
    many = {"d": before, **{f"n{i}": noise for i in range(9)}}
    found = judge(many, {"d": after, **{f"n{i}": other for i in range(9)}}, GateRules())
    assert found[0].outcome != "regressed"
    assert found[0].adjusted_worse == pytest.approx(10 / 128)
    assert verdict(before, after, level=look_levels(0.05, 10)[0]).outcome != "regressed"
    assert verdict(before, after, selected_from=7).outcome != "regressed"
    assert verdict(before, after, selected_from=6).outcome == "regressed"


def test_solved_domains_beside_it_cost_nothing():
    before, after = domain(150, 200), domain(144, 200)  # six lost: p = 1/64
    same = domain(200, 200)
    found = judge({"d": before, "s": same, "z": same}, {"d": after, "s": same, "z": same}, GateRules())
    assert [item.outcome for item in found] == ["regressed", "unchanged", "unchanged"]


def test_a_loss_within_the_tolerance_is_no_regression():
    before, after = domain(1000, 1000), domain(970, 1000)
    assert verdict(before, after).outcome == "regressed"
    assert verdict(before, after, GateRules(tolerance=0.03)).outcome == "unchanged"
    assert verdict(before, after, GateRules(tolerance=0.03, tolerances={"d": 0.0})).outcome == "regressed"
    assert verdict(before, domain(900, 1000), GateRules(tolerance=0.03)).outcome == "regressed"


def test_needed_tasks_do_what_they_say():
    few = verdict(domain(12, 20), domain(12, 20))
    assert few.outcome == "not enough data"
    assert few.needed > 20
    enough = verdict(domain(12, few.needed), domain(12, few.needed))
    assert enough.outcome == "unchanged"


def test_rules_come_from_the_config():
    options = {"false_alarms": 0.1, "tolerances": {"d": 0.02}, "detects": 0.2, "confidence": 0.9, "every": 5}
    assert rules_of(options) == GateRules(alpha=0.1, tolerances={"d": 0.02}, loss=0.2, confidence=0.9)
    assert rules_of({}) == GateRules()


ODD: list[tuple[str, Domain, Domain, int]] = [
    ("no task", {}, {}, 0),
    ("no task in common", {"a": [1.0]}, {"b": [0.0]}, 0),
    ("nothing scored", {"a": [None]}, {"a": [None]}, 0),
    ("one task lost", {"a": [1.0]}, {"a": [0.0]}, 1),
    ("three tasks lost", domain(3, 3), domain(0, 3), 3),
    ("not a number", {"a": [math.nan], "b": [math.inf]}, {"a": [1.0], "b": [-math.inf]}, 0),
    ("other numbers of samples", domain(1, 2, 8), domain(1, 2, 1), 2),
    ("huge rewards", {"a": [1e99], "b": [-1e99]}, {"a": [-1e99], "b": [1e99]}, 2),
]


@pytest.mark.parametrize(("before", "after", "n"), [case[1:] for case in ODD], ids=[case[0] for case in ODD])
@pytest.mark.parametrize("rules", [GateRules(), GateRules(tolerance=0.02)], ids=["no tolerance", "tolerance"])
def test_too_little_is_no_verdict_and_no_error(before: Domain, after: Domain, n: int, rules: GateRules):
    found = verdict(before, after, rules)
    assert (found.outcome, found.n) == ("not enough data" if n else "no data", n)
    assert found.needed > n
    assert (found.delta is None) == (found.low is None) == (n == 0)
    assert plain_text(gate_table([found]))


def test_domains_of_one_side_are_named_and_not_judged():
    found = judge({"a": domain(9, 9), "b": domain(9, 9)}, {"c": domain(9, 9), "b": domain(9, 9)}, GateRules())
    assert [(item.domain, item.n, item.left_out) for item in found] == [("a", 0, 9), ("b", 9, 0), ("c", 0, 9)]
    assert [item.outcome for item in found] == ["no data", "not enough data", "no data"]
    assert judge({}, {}, GateRules()) == []


@pytest.mark.parametrize(("alpha", "level"), [(0.05, 0.0), (0.05, 1e-12)])
def test_where_no_level_is_left_nothing_is_claimed(alpha: float, level: float):
    found = verdict(domain(150, 200), domain(140, 200), GateRules(alpha=alpha), level=level)
    assert found.outcome == "not enough data"


@pytest.mark.parametrize(
    "values",
    [
        {"alpha": 0.0},
        {"power": 1.0},
        {"confidence": 1.0},
        {"tolerance": 0.1},
        {"tolerance": -0.1},
        {"tolerances": {"x": 0.2}},
    ],
)
def test_rules_without_meaning_are_refused(values: dict[str, float]):
    with pytest.raises(UserError, match="set it"):
        GateRules(**values)


def test_the_table():
    before, after = {"arithmetic": domain(150, 200), "code": domain(5, 20)}, {"arithmetic": domain(120, 200)}
    found = judge(before, {**after, "code": domain(6, 20)}, GateRules(tolerance=0.01))
    text = plain_text(gate_table(found))
    lines = text.splitlines()
    assert max(map(len, lines)) <= WIDTH
    row = next(line for line in lines if line.startswith("arithmetic  "))
    assert row.split()[:4] == ["arithmetic", "0.75", "0.60", "-0.15"]
    assert "<0.001" in row
    assert row.endswith("regressed                 200") or row.split()[-2:] == ["regressed", "200"]
    assert f"not enough data  20 (needs {found[1].needed})" in text
    assert "arithmetic: a loss of up to 0.01 is tolerated." in text
    assert plain_text(gate_table([])).splitlines()[1].startswith("domain")
