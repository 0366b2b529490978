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
    """How often, and what is changed each time: factors of the learning rate and of the suspects' shares, the seed."""

    most: int = MISSING
    learning_rate: float = MISSING
    share: float = MISSING
    new_seed: bool = MISSING


@dataclass
class Probe:
    """On how many groups of a domain, and tokens of theirs, policy gradients are compared."""

    groups: int = MISSING
    tokens: int = MISSING


@dataclass
class Evaluation:
    """A fixed suite for each domain, and what counts as a regression.

    `false_alarms` is the share of runs without change that may raise any alarm; a loss of `detects` should be found
    with probability `power`, one of up to `tolerance` (by domain: `tolerances`) is none.
    """

    suite: str = MISSING
    split: EvaluationSplit = MISSING
    tasks_per_domain: int = MISSING
    samples_per_task: int = MISSING
    greedy: bool = MISSING
    before: bool = MISSING
    after: bool = MISSING
    every: int = MISSING
    confidence: float = MISSING
    seed: int = MISSING
    reuse: bool = MISSING
    expect: dict[str, str] = MISSING
    reference: str = MISSING
    on_regression: OnRegression = MISSING
    rollback: Rollback = MISSING
    tolerance: float = MISSING
    tolerances: dict[str, float] = MISSING
    false_alarms: float = MISSING
    detects: float = MISSING
    power: float = MISSING
    interference: bool = MISSING
    probe: Probe = MISSING


SCHEMAS: dict[str, type] = {"evaluation_schema": Evaluation}
