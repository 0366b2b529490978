"""Schema of the verifier `countdown`."""

from __future__ import annotations

from dataclasses import dataclass

from omegaconf import MISSING

from rlpt.config.schemas.verifier import Form


@dataclass
class Countdown:
    """Arguments of `rlpt.verifiers.countdown.CountdownVerifier`."""

    _target_: str = MISSING
    forms: list[Form] = MISSING
    use_all: bool = MISSING
    fractions: bool = MISSING


SCHEMAS: dict[str, type] = {"countdown_verifier_schema": Countdown}
