"""Schemas of the group `domain`. Each domain stands under `domain.<name>` and has its own arguments."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from omegaconf import MISSING


@dataclass
class Domain:
    """What every domain has.

    `verifier`, `max_new_tokens`, `weight`, `tools` and `max_turns` are read by the run, the rest by `_target_`.
    """

    _target_: str = MISSING
    name: str = MISSING
    verifier: Any = MISSING
    max_new_tokens: int = MISSING
    weight: float = MISSING
    tools: list[str] = MISSING
    max_turns: int = MISSING
    seed: int = MISSING
    train_tasks: int = MISSING
    validation_tasks: int = MISSING
    test_tasks: int = MISSING


@dataclass
class Arithmetic(Domain):
    """Integer arithmetic, by itself or for a tool."""

    operators: list[str] = MISSING
    max_operand: int = MISSING
    max_factor: int = MISSING


@dataclass
class PythonFunctions(Domain):
    """Small Python functions."""

    held_out_families: float = MISSING


@dataclass
class Instructions(Domain):
    """Short texts with checkable constraints."""

    forms: list[str] = MISSING
    kinds: list[str] = MISSING
    max_constraints: int = MISSING


SCHEMAS: dict[str, type] = {
    "arithmetic_schema": Arithmetic,
    "calculator_schema": Arithmetic,
    "python_functions_schema": PythonFunctions,
    "instructions_schema": Instructions,
}
