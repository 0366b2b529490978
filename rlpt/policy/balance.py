"""Which rank trains on which group, so that ranks have like amounts of work."""

from __future__ import annotations

from collections.abc import Sequence

from rlpt.policy.packing import Numbered


def balance(tokens: Sequence[int], ranks: int) -> list[int]:
    """The rank of each group, given the tokens that each takes. Pure: every rank finds the same.

    Groups stay whole. The largest go first, each to the rank that has least (Graham, "Bounds on Multiprocessing Timing
    Anomalies", 1969: at most a third above the best possible).
    """
    load = [(0, rank) for rank in range(ranks)]
    owners = [0] * len(tokens)
    for number in sorted(range(len(tokens)), key=lambda number: -tokens[number]):
        least, rank = min(load)
        load[rank] = (least + tokens[number], rank)
        owners[number] = rank
    return owners


def groups_of(rank: int, groups: Sequence[Numbered], ranks: int) -> list[Numbered]:
    """The groups that a rank trains on, in their order. With as many groups as ranks, or more, each rank has one."""
    tokens = [len(group[0][1].prompt_ids) + sum(len(rollout.token_ids) for _, rollout in group) for group in groups]
    return [group for group, owner in zip(groups, balance(tokens, ranks), strict=True) if owner == rank]
