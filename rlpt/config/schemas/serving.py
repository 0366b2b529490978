"""Schema of the group `serving`: in which form the trained policy is handed on."""

from __future__ import annotations

from dataclasses import dataclass

from omegaconf import MISSING


@dataclass
class Serving:
    """Whether the policy is exported to the run directory, and whether the export is loaded again and compared."""

    export: bool = MISSING
    verify: bool = MISSING


SCHEMAS: dict[str, type] = {"serving_schema": Serving}
