"""Schema of the group `budget`: when a run ends."""

from __future__ import annotations

from dataclasses import dataclass

from omegaconf import MISSING


@dataclass
class Budget:
    """The first limit that is reached ends the training; null sets no limit."""

    steps: int = MISSING
    wall_s: float | None = MISSING
    tokens: int | None = MISSING


SCHEMAS: dict[str, type] = {"budget_schema": Budget}
