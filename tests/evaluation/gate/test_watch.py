"""The evaluations of a run, one after the other, under one bound on false alarms."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from rlpt.evaluation.gate.verdict import GateRules
from rlpt.evaluation.gate.watch import BEST, Measured, Watch
from rlpt.evaluation.sample import Sample

RULES = GateRules()


def samples(solved: int, tasks: int = 100, domain: str = "d") -> list[Sample]:
    """The first `solved` of the tasks are right."""
    return [Sample(domain, f"t{task}", 0, "", "", float(task < solved), "") for task in range(tasks)]


def outcomes(watch: Watch, solved: Sequence[int], start: int = 0) -> list[str | None]:
    found = [watch.look(step, samples(own), final=False) for step, own in enumerate(solved, start)]
    return [None if look is None else look.verdicts[0].outcome for look in found]


def test_each_is_compared_with_the_start() -> None:
    assert outcomes(Watch(RULES, interim=3), [50, 80, 50, 20]) == [None, "improved", "not enough data", "regressed"]


def test_or_with_the_best_so_far() -> None:
    watch = Watch(RULES, interim=3, reference=BEST)
    assert outcomes(watch, [50, 80, 50])[1:] == ["improved", "regressed"]
    look = watch.look(9, samples(79), final=False)
    assert look is not None
    assert look.reference == "step 1"


def test_or_with_another_run_from_its_first_evaluation_on() -> None:
    watch = Watch(RULES, interim=1, reference=Measured("runs/a", samples(90)))
    look = watch.look(0, samples(50), final=False)
    assert look is not None
    assert look.reference == "runs/a"
    assert [verdict.domain for verdict in look.regressed] == ["d"]


def test_all_looks_of_a_run_share_its_false_alarms() -> None:
    watch = Watch(RULES, interim=4)
    assert watch.look(0, samples(50), final=False) is None
    looks = [watch.look(step, samples(50), final=step == 5) for step in range(1, 6)]
    levels = [look.level for look in looks if look is not None]
    assert sum(levels) == pytest.approx(RULES.alpha)
    assert levels[-1] == max(levels)


def test_more_looks_than_planned_hardly_raise_an_alarm() -> None:
    watch = Watch(RULES, interim=1)
    watch.look(0, samples(50), final=False)
    watch.look(1, samples(50), final=False)
    look = watch.look(2, samples(30), final=False)
    assert look is not None
    assert (look.level, look.regressed) == (0.0, [])


def test_after_an_alarm_the_next_one_can_be_raised() -> None:
    watch = Watch(RULES, interim=3)
    assert outcomes(watch, [50, 0, 0])[1:] == ["regressed", "regressed"]


def test_a_look_that_is_taken_again_has_the_level_that_it_had() -> None:
    first, again = Watch(RULES, interim=3), Watch(RULES, interim=30)
    looks = [first.look(step, samples(own), final=False) for step, own in enumerate((50, 48, 30))]
    for step, (own, look) in enumerate(zip((50, 48, 30), looks, strict=True)):
        assert again.look(step, samples(own), final=False, level=None if look is None else look.level) == look


def test_a_run_that_is_prolonged_can_raise_an_alarm_again() -> None:
    watch = Watch(RULES, interim=2)
    watch.look(0, samples(50), final=False)
    assert watch.look(1, samples(50), final=True) is not None
    look = watch.look(2, samples(0), final=False)
    assert look is not None
    assert look.regressed
