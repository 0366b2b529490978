"""What ranks share comes back in its order, also where some of it has gone on the way."""

from __future__ import annotations

from rlpt.collectives import take_turns


def test_shares_of_ranks_come_back_in_order() -> None:
    items = list(range(7))
    assert take_turns([items[0::3], items[1::3], items[2::3]]) == items


def test_ranks_may_give_back_fewer_than_others() -> None:
    assert take_turns([[0], [], [2, 5, 8]]) == [0, 2, 5, 8]
    assert take_turns([[], []]) == []
