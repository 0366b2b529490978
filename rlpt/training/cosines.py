"""How the gradients of several domains stand to each other, with the error that a small probe leaves. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import torch
from torch import Tensor

Parts = Tensor
"""`[K, W]`: sketches of the parts of a gradient, from rollouts that have nothing to do with each other."""


@dataclass(frozen=True, slots=True)
class Cosine:
    """A cosine and its standard error."""

    value: float
    error: float


def cosines(parts: Mapping[str, Parts], sketch_error: float) -> dict[tuple[str, str], Cosine]:
    """The cosine of the sums of parts of each two domains that both have two parts or more, and a gradient at all.

    The standard error is a jackknife over the parts of either (Efron and Stein, "The jackknife estimate of variance",
    1981), with `sketch_error` beside it. Noise in the parts draws a cosine towards 0, so that it is no overstatement.
    """
    usable = {name: own for name, own in parts.items() if len(own) > 1 and bool(own.sum(0).any())}
    return {(one, other): _cosine(usable[one], usable[other], sketch_error) for one, other in combinations(usable, 2)}


def _cosine(one: Parts, other: Parts, sketch_error: float) -> Cosine:
    left, right = one.sum(0), other.sum(0)
    variance = sketch_error**2
    variance += _jackknife(lambda rest: _of_two(rest, right), [left - part for part in one])
    variance += _jackknife(lambda rest: _of_two(left, rest), [right - part for part in other])
    return Cosine(_of_two(left, right), variance**0.5)


def _jackknife(statistic: Callable[[Tensor], float], rests: Sequence[Tensor]) -> float:
    """The variance of the statistic, from its values without one part each."""
    values = torch.tensor([statistic(rest) for rest in rests], dtype=torch.float64)
    return float((values - values.mean()).square().sum()) * (len(rests) - 1) / len(rests)


def _of_two(left: Tensor, right: Tensor) -> float:
    norms = left.norm() * right.norm()
    return float(left @ right / norms) if norms > 0 else 0.0
