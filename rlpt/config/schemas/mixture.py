"""Schema of the group `mixture`."""

from __future__ import annotations

from dataclasses import dataclass

from omegaconf import MISSING


@dataclass
class Mixture:
    """How many tasks a step takes. The domains' weights stand with the domains."""

    _target_: str = MISSING
    tasks_per_step: int = MISSING


SCHEMAS: dict[str, type] = {"mixture_schema": Mixture}
