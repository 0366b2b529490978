"""Schema of the group `evaluation`: when the policy is measured, on which tasks and how sharply."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from omegaconf import MISSING


class EvaluationSplit(Enum):
    """Tasks that are never trained on: settings are chosen on one split and reported on the other."""

    validation = "validation"
    test = "test"


@dataclass
class Evaluation:
    """A fixed suite for each domain."""

    split: EvaluationSplit = MISSING
    tasks_per_domain: int = MISSING
    samples_per_task: int = MISSING
    before: bool = MISSING
    after: bool = MISSING
    every: int = MISSING
    confidence: float = MISSING
    seed: int = MISSING


SCHEMAS: dict[str, type] = {"evaluation_schema": Evaluation}
