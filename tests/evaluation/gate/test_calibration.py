"""False alarms are as rare as promised: over all signs, and over simulated runs."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from rlpt.evaluation.gate.verdict import GateRules, judge
from rlpt.evaluation.gate.watch import Watch
from rlpt.evaluation.sample import Sample

SIZES = {"a": [1.0, 1.0, 1.0, 0.5, 0.5, 0.25], "b": [1.0, 0.3, 0.3, 0.2, 0.1], "same": [0.0, 0.0]}


@pytest.mark.parametrize("level", [0.25, 0.06])
@pytest.mark.parametrize("tolerance", [0.0, 0.02])
def test_of_all_signs_no_more_than_the_level_raise_an_alarm_or_claim_a_gain(level: float, tolerance: float) -> None:
    """Where nothing changed, all signs of the differences are equally likely."""
    rules = GateRules(alpha=0.25, loss=0.5, tolerance=tolerance)
    differing = [(name, task) for name, sizes in SIZES.items() for task, size in enumerate(sizes) if size]
    alarms = gains = 0
    for signs in itertools.product((-1, 1), repeat=len(differing)):
        after = {name: {str(task): [1.0] for task in range(len(sizes))} for name, sizes in SIZES.items()}
        for (name, task), sign in zip(differing, signs, strict=True):
            after[name][str(task)] = [1.0 + sign * SIZES[name][task]]
        before = {name: {task: [1.0] for task in tasks} for name, tasks in after.items()}
        outcomes = {verdict.outcome for verdict in judge(before, after, rules, level)}
        alarms += "regressed" in outcomes
        gains += "improved" in outcomes
    assert 0 < alarms <= level * 2 ** len(differing)
    assert 0 < gains <= level * 2 ** len(differing)


@pytest.mark.parametrize("reference", ["start", "best"])
def test_of_runs_without_change_hardly_any_raises_an_alarm(reference: str) -> None:
    """Three evaluations after the first, three domains of 40 tasks, two samples each, some of them not scored."""
    rng, runs, alarms = np.random.default_rng(0), 250, 0
    for _ in range(runs):
        solving = rng.beta(0.5, 0.5, (3, 40))
        watch = Watch(GateRules(), interim=2, reference=reference)
        looks = [watch.look(step, _samples(solving, rng), final=step == 3) for step in range(4)]
        alarms += any(look is not None and look.regressed for look in looks)
    assert alarms / runs <= 0.05 + 2 * (0.05 * 0.95 / runs) ** 0.5


def test_a_loss_is_found_by_the_last_evaluation() -> None:
    rng, runs, found = np.random.default_rng(1), 60, 0
    for _ in range(runs):
        solving = rng.beta(0.5, 0.5, (3, 150))
        lost = solving * np.array([[1.0], [0.75], [1.0]])
        watch = Watch(GateRules(), interim=1)
        watch.look(0, _samples(solving, rng), final=False)
        watch.look(1, _samples(solving, rng), final=False)
        look = watch.look(2, _samples(lost, rng), final=True)
        assert look is not None
        found += "domain1" in [verdict.domain for verdict in look.regressed]
    assert found / runs > 0.8


def _samples(solving: np.ndarray, rng: np.random.Generator) -> list[Sample]:
    rewards = np.where(
        rng.random((*solving.shape, 2)) < 0.05, np.nan, rng.random((*solving.shape, 2)) < solving[:, :, None]
    )
    return [
        Sample(f"domain{d}", f"task{t}", k, "", "", None if np.isnan(reward) else float(reward), "")
        for (d, t, k), reward in np.ndenumerate(rewards)
    ]
