"""Groups are shared out so that ranks have like amounts of work."""

from __future__ import annotations

import random
from itertools import product

from rlpt.policy.balance import balance, groups_of
from rlpt.records import Rollout


def test_loads_are_near_the_best_possible():
    rng = random.Random(0)
    for _ in range(20):
        tokens = [rng.randrange(16, 2048) for _ in range(8)]
        owners = balance(tokens, 2)
        found = load(tokens, owners)
        best = min(load(tokens, split) for split in product((0, 1), repeat=8))
        assert found <= best * 7 / 6
        assert owners == balance(tokens, 2)


def load(tokens, owners):
    return max(sum(size for size, owner in zip(tokens, owners, strict=True) if owner == rank) for rank in set(owners))


def test_every_group_has_one_rank_and_every_rank_a_group():
    groups = [[(2 * number + i, rollout(length)) for i in range(2)] for number, length in enumerate([900, 3, 2, 1])]
    parts = [groups_of(rank, groups, 3) for rank in range(3)]
    assert all(parts)
    assert sorted(number for part in parts for group in part for number, _ in group) == list(range(8))
    assert parts[0] == groups[:1]


def rollout(length):
    return Rollout("t", "g", 0, [1], [2] * length, [0.0] * length, [1] * length, [0] * length, "stop", "")
