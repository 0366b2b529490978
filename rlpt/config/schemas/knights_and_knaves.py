"""Schema of the verifier `knights_and_knaves`."""

from __future__ import annotations

from dataclasses import dataclass

from omegaconf import MISSING

from rlpt.config.schemas.verifier import Form


@dataclass
class KnightsAndKnaves:
    """Arguments of `rlpt.verifiers.knights_and_knaves.KnightsAndKnavesVerifier`."""

    _target_: str = MISSING
    roles: list[str] = MISSING
    forms: list[Form] = MISSING
    anywhere: bool = MISSING


SCHEMAS: dict[str, type] = {"knights_and_knaves_verifier_schema": KnightsAndKnaves}
