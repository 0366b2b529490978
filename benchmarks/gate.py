"""How often the regression gate raises an alarm where nothing changed, and how often it finds a planted loss.

    python benchmarks/gate.py [--json FILE] [--runs 1000] [--tasks 200] [--seed 0]

Each simulated run has six domains and is judged by `Watch.look`, as a training run is: an evaluation before training
and one or several after it, of k samples a task. An alarm is "regressed" in any domain at any evaluation. Tasks differ
in how likely they are solved; `bimodal`: four in ten hardly ever, four nearly always, two in between.

`false_alarm_rate`: runs with an alarm though nothing changed (bimodal, k=2, one evaluation after training); beside it
other worlds under `false_alarms`, and all of them together as `false_alarm_rate_of_all`. In `trades` tasks change and
their average does not, where the test is not exact. `detection_rate`: runs in which a loss of 0.10 in one of the six
domains is found there (bimodal, k=2); in every other run it is spread over all tasks, in the others it takes whole
tasks. Other worlds stand under `losses`: with several evaluations the loss is there from the first one after training,
and `at_last` counts those found at the last. `enough_data`: how often the verdict on a domain that did not change was
"unchanged", so that the gate claims to have found such a loss with a probability of 0.9. Intervals are Wilson's (95 %).
"""

from __future__ import annotations

import argparse
import gc
import json
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import NormalDist
from typing import Any

import numpy as np
from _gate_worlds import KINDS, Floats, Sampler, World, lose_evenly, lose_tasks, trade

from rlpt.evaluation.gate.verdict import GateRules
from rlpt.evaluation.gate.watch import Look, Watch

LOSS = 0.10
EVERY_KIND = tuple(KINDS)
MIDDLING = ("middling",) * 6
HEADLINE = "bimodal, k=2"

UNCHANGED: Mapping[str, World] = {
    HEADLINE: World(),
    "bimodal, k=1": World(k=1),
    "bimodal, k=4": World(k=4),
    "middling, k=2": World(MIDDLING),
    "every kind, k=2": World(EVERY_KIND),
    "partial rewards, k=2": World(partial=True),
    "a tenth unscored, k=2": World(unscored=True),
    "20 tasks, k=2": World(tasks=20),
    "trades, k=2": World(trades=True),
    "3 evaluations, k=2": World(looks=3),
    "3 evaluations, best, k=2": World(looks=3, reference="best"),
}
LOSSES: Mapping[str, World] = {
    HEADLINE: World(),
    "bimodal, k=1": World(k=1),
    "bimodal, k=4": World(k=4),
    "middling, k=2": World(MIDDLING),
    "middling, k=4": World(MIDDLING, k=4),
    "partial rewards, k=2": World(partial=True),
    "3 evaluations, k=2": World(looks=3),
    "3 evaluations, best, k=2": World(looks=3, reference="best"),
}


@dataclass(frozen=True, slots=True)
class Run:
    """What the looks of a run said. `enough`: of the unchanged domains at the last, the share called unchanged."""

    alarm: bool
    found: bool
    found_at_last: bool
    enough: float


def main() -> None:
    """Simulate, print, and write the figures where `--json` says."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", type=Path, default=None)
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--tasks", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    figures = simulate(options.runs, options.tasks, options.seed)
    if options.json:
        options.json.write_text(json.dumps(figures, indent=2) + "\n")
    for title in ("false_alarms", "losses"):
        print(title)
        for name, own in figures[title].items():
            print(f"  {name:26} {own['rate']:.3f} [{own['low']:.3f}, {own['high']:.3f}]")
    for name in ("false_alarm_rate", "false_alarm_rate_of_all", "detection_rate", "seconds"):
        print(f"{name} = {figures[name]}")


def simulate(runs: int, tasks: int, seed: int) -> dict[str, Any]:
    """All figures."""
    start = time.perf_counter()
    alarms, losses = {}, {}
    for number, (name, world) in enumerate(UNCHANGED.items()):
        found = simulated(world, runs, tasks, [seed, 0, number], planted=False)
        alarms[name] = rate(sum(run.alarm for run in found), runs)
    for number, (name, world) in enumerate(LOSSES.items()):
        found = simulated(world, runs, tasks, [seed, 1, number], planted=True)
        losses[name] = {
            **rate(sum(run.found for run in found), runs),
            "at_last": rate(sum(run.found_at_last for run in found), runs),
            "enough_data": round(sum(run.enough for run in found) / runs, 3),
        }
    pooled = rate(sum(own["count"] for own in alarms.values()), sum(own["of"] for own in alarms.values()))
    return {
        "false_alarm_rate": alarms[HEADLINE]["rate"],
        "false_alarm_interval": [alarms[HEADLINE]["low"], alarms[HEADLINE]["high"]],
        "false_alarm_rate_of_all": pooled["rate"],
        "false_alarm_interval_of_all": [pooled["low"], pooled["high"]],
        "detection_rate": losses[HEADLINE]["rate"],
        "detection_interval": [losses[HEADLINE]["low"], losses[HEADLINE]["high"]],
        "false_alarms": alarms,
        "losses": losses,
        "runs": runs,
        "tasks": tasks,
        "seed": seed,
        "alpha": GateRules().alpha,
        "loss": LOSS,
        "seconds": round(time.perf_counter() - start, 1),
    }


def simulated(world: World, runs: int, tasks: int, seed: list[int], planted: bool) -> list[Run]:
    """So many runs of one world."""
    world = replace(world, tasks=world.tasks or tasks)
    rng = np.random.default_rng(seed)
    assert world.tasks is not None
    sampler = Sampler(world, world.tasks)
    gc.collect()
    gc.freeze()  # else the collector goes through the pool of samples again and again
    try:
        return [one_run(world, number, planted, sampler, rng) for number in range(runs)]
    finally:
        gc.unfreeze()


def one_run(world: World, number: int, planted: bool, sampler: Sampler, rng: np.random.Generator) -> Run:
    """Evaluate before training, `world.looks` times afterwards, and let the gate look."""
    assert world.tasks is not None
    before = np.stack([KINDS[kind](rng, world.tasks) for kind in world.kinds])
    if world.trades:
        before = 0.4 + 0.2 * before
    victim = number % len(world.kinds)
    after = changed(before, world, victim if planted else None, number, rng)
    watch = Watch(GateRules(), world.looks - 1, world.reference)
    watch.look(0, sampler.draw(before, rng), final=False)
    looks = [
        look
        for step in range(1, world.looks + 1)
        if (look := watch.look(step, sampler.draw(after, rng), final=step == world.looks)) is not None
    ]
    name = f"domain{victim}"
    others = [verdict for verdict in looks[-1].verdicts if verdict.domain != name]
    return Run(
        alarm=any(look.regressed for look in looks),
        found=any(alarm_in(look, name) for look in looks),
        found_at_last=alarm_in(looks[-1], name),
        enough=sum(verdict.outcome == "unchanged" for verdict in others) / len(others),
    )


def changed(before: Floats, world: World, victim: int | None, number: int, rng: np.random.Generator) -> Floats:
    """How likely the tasks are solved after training."""
    if world.trades:
        return np.stack([trade(own, rng) for own in before])
    after = before.copy()
    if victim is not None:
        lose = lose_evenly if number // len(world.kinds) % 2 else lose_tasks
        after[victim] = lose(before[victim], LOSS / world.worth, rng)
    return after


def alarm_in(look: Look, domain: str) -> bool:
    """Whether the look says of the domain that it regressed."""
    return any(verdict.domain == domain for verdict in look.regressed)


def rate(count: int, of: int) -> dict[str, Any]:
    """A share with its Wilson interval (95 %)."""
    z = NormalDist().inv_cdf(0.975)
    share, shrink = count / of, 1 + z * z / of
    middle = (share + z * z / (2 * of)) / shrink
    half = z / shrink * (share * (1 - share) / of + z * z / (4 * of * of)) ** 0.5
    return {
        "rate": round(share, 4),
        "low": round(max(0.0, middle - half), 4),
        "high": round(min(1.0, middle + half), 4),
        "count": count,
        "of": of,
    }


if __name__ == "__main__":
    main()
