"""Between which evaluations a domain got worse."""

from __future__ import annotations

from typing import Any

from rlpt.evaluation.trace.windows import regressions, whole_run


def evaluation(step: int, **outcomes: str) -> dict[str, Any]:
    verdicts = {name: {"outcome": outcome, "before": 0.5, "after": 0.1} for name, outcome in outcomes.items()}
    return {"step": step, "event": "evaluation", **({"reference": "step 0", "domains": verdicts} if outcomes else {})}


def windows(*events: dict[str, Any]) -> list[tuple[str, int, int, int, bool]]:
    return [(one.domain, one.good, one.bad, one.last, one.lasts) for one in regressions(events)]


def test_it_begins_with_the_last_good_evaluation() -> None:
    events = (
        evaluation(0),
        evaluation(5, a="improved", b="not enough data"),
        {"step": 5, "event": "interference", "cosines": {}},
        evaluation(10, a="unchanged", b="regressed"),
        evaluation(15, a="regressed", b="regressed"),
    )
    assert windows(*events) == [("b", 5, 10, 15, True), ("a", 10, 15, 15, True)]
    assert regressions(events)[0].after == 0.1


def test_the_first_comparison_may_see_it_already() -> None:
    assert windows(evaluation(0), evaluation(4, a="regressed")) == [("a", 0, 4, 4, True)]


def test_what_got_better_again_is_a_time_of_its_own() -> None:
    found = windows(
        evaluation(0), evaluation(1, a="regressed"), evaluation(2, a="unchanged"), evaluation(3, a="regressed")
    )
    assert found == [("a", 0, 1, 1, False), ("a", 2, 3, 3, True)]


def test_after_a_rollback_a_regression_is_a_new_one() -> None:
    found = windows(
        evaluation(0),
        evaluation(4, a="regressed", b="unchanged"),
        {"step": 4, "event": "rollback", "to": 0},
        evaluation(8, a="regressed", b="regressed"),
    )
    assert found == [("a", 0, 4, 4, False), ("a", 4, 8, 8, True), ("b", 4, 8, 8, True)]


def test_the_whole_run_of_a_domain_that_is_well() -> None:
    whole = whole_run([evaluation(0), evaluation(4, a="unchanged"), evaluation(9, a="unchanged")], "a")
    assert whole is not None
    assert (whole.good, whole.bad, whole.regressed) == (0, 9, False)
    assert whole_run([evaluation(0)], "a") is None
