"""Learning curves: the reward of each step by domain, of every run that is compared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from rlpt.evaluation.plot import Series, reward_series
from rlpt.evaluation.report.sources import Source

BLOCKS = "\u2581\u2582\u2583\u2584\u2585\u2586\u2587\u2588"
ASCII_BLOCKS = "_.-~=+*#"
EMPTY: Series = ([], [])


@dataclass(frozen=True, slots=True)
class Curve:
    """The rewards of one domain in one run. `letters` are the evaluations of that run which are compared.

    `train`: mean reward of each step's samples; `evaluations`: on the fixed suite.
    """

    letters: str
    train: Series
    evaluations: Series


def curves(sources: Sequence[Source]) -> dict[str, list[Curve]]:
    """Domain -> its curve in each run that has one; a run that is compared at several steps is drawn once."""
    letters: dict[str, str] = {}
    rows = {}
    for source in sources:
        place = str(source.run.root.resolve())
        letters[place] = letters.get(place, "") + source.letter
        rows[place] = source.metrics
    found: dict[str, list[Curve]] = {}
    for place, metrics in rows.items():
        train, evaluations = reward_series(metrics, "train"), reward_series(metrics, "eval")
        for domain in dict.fromkeys([*train, *evaluations]):
            curve = Curve(letters[place], train.get(domain, EMPTY), evaluations.get(domain, EMPTY))
            found.setdefault(domain, []).append(curve)
    compared = dict.fromkeys(domain for source in sources for domain in source.evaluation.suite)
    return {domain: found[domain] for domain in dict.fromkeys([*compared, *found]) if domain in found}


def bounds(of_domain: Sequence[Curve]) -> tuple[float, float]:
    """The least and the greatest reward of a domain's curves, with 0 and, where nothing was earned, 1 among them."""
    rewards = [reward for curve in of_domain for series in (curve.train, curve.evaluations) for reward in series[1]]
    low, high = min([0.0, *rewards]), max([0.0, *rewards])
    return low, high if high > low else 1.0


def drawn(of_domain: Sequence[Curve], most: int) -> list[Curve]:
    """The curves with at most `most` points of training each."""
    return [replace(curve, train=thinned(curve.train, most)) for curve in of_domain]


def thinned(series: Series, most: int) -> Series:
    """At most `most` points: means of neighbours, at the step of the last of them."""
    steps, rewards = series
    if len(steps) <= most:
        return series
    edges = [round(index * len(steps) / most) for index in range(most + 1)]
    parts = [slice(first, last) for first, last in pairwise(edges)]
    return [steps[part][-1] for part in parts], [sum(rewards[part]) / len(rewards[part]) for part in parts]


def sparkline(rewards: Sequence[float], low: float, high: float, blocks: str = BLOCKS) -> str:
    """One character a reward, the lowest block at `low` and the highest at `high`."""
    top = len(blocks) - 1
    return "".join(blocks[max(0, min(top, round((reward - low) / (high - low) * top)))] for reward in rewards)


def marked(curve: Curve, steps: Mapping[str, int]) -> dict[str, tuple[int, float]]:
    """Letter -> step and reward of the evaluation that is compared, where the curve has it."""
    at = dict(zip(*curve.evaluations, strict=True))
    return {letter: (steps[letter], at[steps[letter]]) for letter in curve.letters if steps[letter] in at}
