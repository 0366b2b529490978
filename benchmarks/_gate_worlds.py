"""Simulated evaluations: domains whose tasks differ in difficulty, and policies that lose something or nothing."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rlpt.evaluation.sample import Sample

Floats = NDArray[np.float64]
Draw = Callable[[np.random.Generator, int], Floats]
"""How likely each of so many tasks is solved by a sample."""

UNSCORED = 0.1
BY_CHANCE = 0.4
TESTS = 10


def mixed(*parts: tuple[float, float, float]) -> Draw:
    """A mixture of Beta(a, b), each part as (share, a, b)."""

    def draw(rng: np.random.Generator, tasks: int) -> Floats:
        chosen = rng.choice(len(parts), size=tasks, p=[share for share, _, _ in parts])
        a, b = (np.array([part[place] for part in parts])[chosen] for place in (1, 2))
        return rng.beta(a, b)

    return draw


KINDS: Mapping[str, Draw] = {
    "bimodal": mixed((0.4, 0.5, 6.0), (0.4, 6.0, 0.5), (0.2, 2.0, 2.0)),  # nearly never, nearly always, in between
    "middling": mixed((1.0, 2.0, 2.0)),  # most samples decide by a coin: the most noise
    "hard": mixed((1.0, 0.5, 1.5)),
    "easy": mixed((1.0, 1.5, 0.5)),
    "solved": lambda rng, tasks: np.ones(tasks),
    "unsolved": lambda rng, tasks: np.zeros(tasks),
}

Change = Callable[[Floats, float, np.random.Generator], Floats]


def lose_evenly(solving: Floats, loss: float, rng: np.random.Generator) -> Floats:
    """Every task is solved less often, by the same factor; the mean falls by `loss`."""
    return solving * max(0.0, 1 - loss / solving.mean())


def lose_tasks(solving: Floats, loss: float, rng: np.random.Generator) -> Floats:
    """Tasks at random are never solved again, until the mean has fallen by `loss`; the last one only in part."""
    order = rng.permutation(len(solving))
    left = np.clip(np.cumsum(solving[order]) - loss * len(solving), 0.0, solving[order])
    after = np.empty_like(solving)
    after[order] = left
    return after


def trade(solving: Floats, rng: np.random.Generator) -> Floats:
    """A fifth of the tasks is solved less often by 0.32, the others more often by 0.08: the mean stays.

    Of rates between 0.4 and 0.6, so that nothing is cut off. Differences are then not symmetric.
    """
    return np.where(rng.random(len(solving)) < 0.2, solving - 0.32, solving + 0.08)


@dataclass(frozen=True, slots=True)
class World:
    """What a run is simulated with. `kinds`: of its domains; `k`: samples a task; `looks`: evaluations after the first.

    `partial`: a wrong answer earns the share of ten tests that it passes by chance. `unscored`: a tenth of the samples
    has no reward. `trades`: tasks change but their mean does not.
    """

    kinds: Sequence[str] = ("bimodal",) * 6
    k: int = 2
    tasks: int | None = None
    looks: int = 1
    reference: str = "start"
    partial: bool = False
    unscored: bool = False
    trades: bool = False

    @property
    def worth(self) -> float:
        """The mean reward that a solved answer has more than one that is not."""
        return 1 - BY_CHANCE * (TESTS - 1) / TESTS if self.partial else 1.0


class Sampler:
    """Draws evaluations as a run would hold them. Samples with the same content are the same object, for speed."""

    def __init__(self, world: World, tasks: int) -> None:
        rewards: list[float | None] = [step / TESTS for step in range(TESTS)] if world.partial else [0.0]
        self._world, self._right = world, len(rewards)
        rewards += [1.0, None]
        self._pool = [
            [
                [
                    [Sample(f"domain{d}", f"task{t}", i, "", "", reward, "") for reward in rewards]
                    for i in range(world.k)
                ]
                for t in range(tasks)
            ]
            for d in range(len(world.kinds))
        ]

    def draw(self, solving: Floats, rng: np.random.Generator) -> list[Sample]:
        """k samples of each task; `solving` `[domains, tasks]` is how likely each is right."""
        shape = (*solving.shape, self._world.k)
        right = rng.random(shape) < solving[:, :, None]
        wrong = rng.binomial(TESTS - 1, BY_CHANCE, shape) if self._world.partial else 0
        codes = np.where(right, self._right, wrong)
        if self._world.unscored:
            codes = np.where(rng.random(shape) < UNSCORED, self._right + 1, codes)
        return [
            choice[code]
            for domain, of_domain in zip(self._pool, codes.tolist(), strict=True)
            for task, of_task in zip(domain, of_domain, strict=True)
            for choice, code in zip(task, of_task, strict=True)
        ]
