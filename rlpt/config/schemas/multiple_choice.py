"""Schema of the verifier `multiple_choice`."""

from __future__ import annotations

from dataclasses import dataclass

from omegaconf import MISSING

from rlpt.config.schemas.verifier import Form


@dataclass
class MultipleChoice:
    """Arguments of `rlpt.verifiers.multiple_choice.MultipleChoiceVerifier`."""

    _target_: str = MISSING
    forms: list[Form] = MISSING
    anywhere: bool = MISSING


SCHEMAS: dict[str, type] = {"multiple_choice_verifier_schema": MultipleChoice}
