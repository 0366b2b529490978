"""Schema of the group `evaluation`: when the policy is measured, on which tasks and how sharply."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from omegaconf import MISSING


class EvaluationSplit(Enum):
    """Tasks that are never trained on: settings are chosen on one split and reported on the other."""

    validation = "validation"
    test = "test"


class OnRegression(Enum):
    """What becomes of a run in which a domain got worse."""

    warn = "warn"
    stop = "stop"
    rollback = "rollback"


@dataclass
class Rollback:
    """How often, and what the learning rate is multiplied by each time."""

    most: int = MISSING
    learning_rate: float = MISSING


@dataclass
class Evaluation:
    """A fixed suite for each domain, and what counts as a regression.

    `false_alarms` is the share of runs without change that may raise any alarm; a loss of `detects` should be found
    with probability `power`, one of up to `tolerance` (by domain: `tolerances`) is none.
    """

    split: EvaluationSplit = MISSING
    tasks_per_domain: int = MISSING
    samples_per_task: int = MISSING
    before: bool = MISSING
    after: bool = MISSING
    every: int = MISSING
    confidence: float = MISSING
    seed: int = MISSING
    reference: str = MISSING
    on_regression: OnRegression = MISSING
    rollback: Rollback = MISSING
    tolerance: float = MISSING
    tolerances: dict[str, float] = MISSING
    false_alarms: float = MISSING
    detects: float = MISSING
    power: float = MISSING


SCHEMAS: dict[str, type] = {"evaluation_schema": Evaluation}
