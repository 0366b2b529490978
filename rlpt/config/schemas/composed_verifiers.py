"""Schemas of verifiers that are made of others, and of the one that looks at an answer's form alone."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Any

from omegaconf import MISSING

from rlpt.config.schemas.verifier import Form


class Match(Enum):
    """How much of a text a regular expression must match."""

    fullmatch = "fullmatch"
    search = "search"


class Text(Enum):
    """What is looked at: what follows the thoughts, or all of it."""

    response = "response"
    completion = "completion"


@dataclass
class Pattern:
    """Answers in an asked-for form."""

    _target_: str = MISSING
    form: Form | None = MISSING
    pattern: str | None = MISSING
    match: Match = MISSING
    text: Text = MISSING
    max_length: int = MISSING


@dataclass
class AllOf:
    """Several verifiers that must all be satisfied."""

    _target_: str = MISSING
    verifiers: dict[str, Any] = MISSING
    format_from: str | None = MISSING


@dataclass
class Weighted:
    """The weighted mean of several verifiers."""

    _target_: str = MISSING
    verifiers: dict[str, Any] = MISSING
    weights: dict[str, float] = MISSING
    required: list[str] = MISSING
    format_from: str | None = MISSING


@dataclass
class ToolErrors:
    """Another verifier, and a penalty for each turn whose tool calls failed."""

    _target_: str = MISSING
    verifiers: dict[str, Any] = MISSING
    penalty: float = MISSING


SCHEMAS: dict[str, type] = {
    "pattern_verifier_schema": Pattern,
    "all_of_verifier_schema": AllOf,
    "weighted_verifier_schema": Weighted,
    "tool_errors_verifier_schema": ToolErrors,
}
