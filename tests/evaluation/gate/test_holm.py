"""p values that are read together."""

from __future__ import annotations

import itertools

import pytest

from rlpt.evaluation.gate.holm import holm


def test_by_hand():
    assert holm({"a": 0.01, "b": 0.04, "c": 0.03}) == pytest.approx({"a": 0.03, "b": 0.06, "c": 0.06})
    assert holm({"a": 0.9, "b": 0.6}) == {"a": 1.0, "b": 1.0}
    assert holm({}) == {}


def test_it_rejects_what_bonferroni_does_and_more():
    adjusted = holm({"a": 0.02, "b": 0.04})
    assert all(p <= 0.05 for p in adjusted.values())  # Bonferroni: 0.04 and 0.08


def test_it_is_the_closure_of_bonferronis_test():
    """A name is rejected at a where Bonferroni's test rejects every set of names that it belongs to."""
    p_values = {"a": 0.011, "b": 0.02, "c": 0.3, "d": 0.012}
    for name, adjusted in holm(p_values).items():
        others = [other for other in p_values if other != name]
        sets = [[name, *some] for size in range(4) for some in itertools.combinations(others, size)]
        assert adjusted == pytest.approx(max(len(own) * min(p_values[each] for each in own) for own in sets))
