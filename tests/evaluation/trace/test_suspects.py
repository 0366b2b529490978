"""Whose updates work against the domains that got worse."""

from __future__ import annotations

from rlpt.evaluation.trace.suspects import clear, suspects, weighted

MATRIX = {
    "a": {"b": -0.4, "c": 0.2, "d": -0.1},
    "b": {"a": -0.4, "c": -0.35, "d": 0.0},
    "c": {"a": 0.2, "b": -0.35, "d": 0.5},
    "d": {"a": -0.1, "b": 0.0, "c": 0.5},
}


def test_the_most_guilty_come_first_and_the_innocent_are_left_out() -> None:
    assert suspects(MATRIX, ["a"]) == ["b", "d"]
    assert suspects(MATRIX, ["c"]) == ["b"]
    assert suspects(MATRIX, ["d"]) == ["a"]


def test_several_regressed_domains_are_taken_together() -> None:
    assert suspects(MATRIX, ["c", "d"]) == ["b"], "what a does to c outweighs what it does to d"
    assert suspects(MATRIX, ["a", "b"]) == ["a", "b", "c", "d"], "the regressed work against each other"
    assert suspects(MATRIX, ["a", "a"]) == suspects(MATRIX, ["a"])


def test_a_domain_does_not_accuse_itself() -> None:
    assert suspects({"a": {"a": -1.0, "b": -0.1}}, ["a"]) == ["b"]


def test_nobody_is_accused_without_a_measurement() -> None:
    assert suspects(MATRIX, []) == suspects(MATRIX, ["unknown"]) == suspects({}, ["a"]) == []


def test_a_rare_opponent_does_little_harm() -> None:
    assert suspects(weighted(MATRIX, {"b": 0.01, "c": 0.3, "d": 0.6}), ["a"]) == ["d", "b"]


def test_what_may_be_chance_accuses_nobody() -> None:
    errors = {name: dict.fromkeys(row, 0.1) for name, row in MATRIX.items()}
    assert clear(MATRIX, errors)["a"] == {"b": -0.4, "c": 0.0, "d": 0.0}, "2.1 errors, as three others are looked at"
    assert suspects(clear(MATRIX, errors), ["a"]) == ["b"]
    assert clear({"a": {"b": -0.17}}, {"a": {"b": 0.1}}) == {"a": {"b": -0.17}}, "1.6 errors, as there is one alone"
