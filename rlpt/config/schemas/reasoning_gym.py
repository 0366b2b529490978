"""Schemas of the domain and of the verifier `reasoning_gym`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from omegaconf import MISSING

from rlpt.config.schemas.domain import Domain
from rlpt.config.schemas.verifier import Source


@dataclass
class ReasoningGym(Domain):
    """Tasks of the generators of reasoning-gym."""

    datasets: list[Any] = MISSING


@dataclass
class Judge:
    """Answers judged as their generator does."""

    _target_: str = MISSING
    source: Source = MISSING
    threshold: float = MISSING


SCHEMAS: dict[str, type] = {"reasoning_gym_schema": ReasoningGym, "reasoning_gym_verifier_schema": Judge}
