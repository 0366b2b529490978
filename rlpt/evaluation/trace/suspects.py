"""Whose updates work against a domain. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import NormalDist

Matrix = Mapping[str, Mapping[str, float]]
"""`matrix[a][b]`: how the updates of domain `b` act on domain `a`; below 0 = they work against it."""

CHANCE = 0.05
"""How often any innocent domain may be found to work against another one."""


def suspects(matrix: Matrix, regressed: Sequence[str]) -> list[str]:
    """The domains whose updates work against the regressed ones taken together, most guilty first.

    What a domain's updates do to itself counts nothing; a regressed domain is named where it works against another.
    A regressed domain that the matrix does not know accuses nobody.
    """
    rows = {name: matrix[name] for name in dict.fromkeys(regressed) if name in matrix}
    others = dict.fromkeys(other for row in rows.values() for other in row)
    pull = {other: sum(row.get(other, 0.0) for name, row in rows.items() if name != other) for other in others}
    return sorted((other for other in others if pull[other] < 0.0), key=lambda other: (pull[other], other))


def accused(record: Mapping[str, Matrix], regressed: Sequence[str]) -> list[str]:
    """The suspects by one recorded measurement, an event `interference`, of what is clear in it."""
    return suspects(clear(record["cosines"], record["errors"]), regressed)


def weighted(matrix: Matrix, shares: Mapping[str, float]) -> dict[str, dict[str, float]]:
    """Each entry times the share that its column's domain has in the updates: a rare opponent does little harm."""
    return {
        name: {other: value * shares.get(other, 0.0) for other, value in row.items()} for name, row in matrix.items()
    }


def clear(matrix: Matrix, errors: Matrix) -> dict[str, dict[str, float]]:
    """The matrix with 0 for what may be chance: of cosines that are all 0, `CHANCE` of the rows keep one below 0.

    `errors`: the standard error of each entry.
    """
    return {
        name: {
            other: value if abs(value) > _limit(len(row)) * errors[name][other] else 0.0 for other, value in row.items()
        }
        for name, row in matrix.items()
    }


def _limit(others: int) -> float:
    """In standard errors, one-sided, by Bonferroni over the other domains."""
    return NormalDist().inv_cdf(1.0 - CHANCE / max(others, 1))
