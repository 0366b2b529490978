"""Generators of reasoning-gym that are refused, and why. The sources of all 106 in release 0.1.25 have been read."""

from __future__ import annotations

from collections.abc import Mapping

_PARSES = "its scorer gives the answer to sympy's parse_expr, which evaluates it"
_HASHES = "its tasks depend on Python's hash seed, so that every process of a run would have others"

UNSAFE: Mapping[str, str] = {
    "boxnet": "its tasks have no right answer, and its scorer fails on answers that are no plan",
    "codeio": "it runs programs from a data file in the process that makes the tasks",
    "composite": "it only mixes others; list them instead",
    "countdown": f"{_PARSES}; the verifier countdown judges such tasks",
    "intermediate_integration": _PARSES,
    "isomorphic_strings": _HASHES,
    "knight_swap": _HASHES,
    "polynomial_multiplication": f"{_PARSES}, and {_HASHES}",
    "propositional_logic": "its tasks have no right answer, and its scorer pays a premise that is copied",
    "puzzle24": f"{_PARSES}, and pays other numbers than those that are given",
    "ransom_note": _HASHES,
    "rush_hour": "its tasks have no right answer",
    "simple_integration": _PARSES,
    "word_ladder": _HASHES,
}
"""By name, what would run, hang or be paid wrongly, in words that continue `NAME cannot be used: `.

Scorers that evaluate an answer or pay wrong ones, but whose tasks have one right answer, are not here: for those,
`rlpt.gym.rules` has a comparison instead.
"""
