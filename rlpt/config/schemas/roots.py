"""Schemas of the root configs: what `rlpt train`, `rlpt eval` and `rlpt sft` compose."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Any

from omegaconf import MISSING

from rlpt.config.schemas.algorithm import Optimizer


@dataclass
class Root:
    """What every verb has. Group nodes are checked by the schemas that their files name, so they stay open here."""

    name: str = MISSING
    seed: int = MISSING
    traceback: bool = MISSING
    cache_dir: str | None = MISSING
    policy: Any = MISSING
    domain: Any = MISSING
    hardware: Any = MISSING


@dataclass
class Checkpoint:
    """When the training state is saved and how many of the newest states are kept."""

    every: int = MISSING
    keep: int = MISSING


@dataclass
class Workers:
    """The pool of processes that verifiers run in."""

    workers: int | None = MISSING
    timeout_s: float = MISSING
    memory_mb: int | None = MISSING


@dataclass
class Verification(Workers):
    """That pool, and what a domain's own answers must show before a run."""

    max_failing_share: float = MISSING


@dataclass
class Train(Root):
    """`rlpt train`."""

    resume: str | None = MISSING
    checkpoint: Checkpoint = MISSING
    verification: Verification = MISSING
    tool: Any = MISSING
    sampler: Any = MISSING
    algorithm: Any = MISSING
    sandbox: Any = MISSING
    mixture: Any = MISSING
    evaluation: Any = MISSING
    budget: Any = MISSING
    serving: Any = MISSING
    tracker: Any = MISSING


@dataclass
class Eval(Root):
    """`rlpt eval`."""

    verification: Verification = MISSING
    tool: Any = MISSING
    sampler: Any = MISSING
    sandbox: Any = MISSING
    evaluation: Any = MISSING
    tracker: Any = MISSING


@dataclass
class FineTuning:
    """Supervised fine-tuning on the domains' demonstrations."""

    steps: int = MISSING
    batch_size: int = MISSING
    tasks_per_domain: int = MISSING
    optimizer: Optimizer = MISSING


@dataclass
class Sft(Root):
    """`rlpt sft`."""

    tool: Any = MISSING
    sandbox: Any = MISSING
    sft: FineTuning = MISSING


@dataclass
class Program:
    """`rlpt sandbox run` and `rlpt sandbox bench`."""

    sandbox: Any = MISSING


@dataclass
class Audit:
    """`rlpt audit`."""

    cases: str | None = MISSING
    out: str | None = MISSING
    seed: int = MISSING
    traceback: bool = MISSING
    verifier: Any = MISSING
    verification: Workers = MISSING
    sandbox: Any = MISSING


class TaskSplit(Enum):
    """Any split of a domain."""

    train = "train"
    validation = "validation"
    test = "test"


@dataclass
class AuditDomain:
    """`rlpt audit domain=NAME`."""

    attack: bool = MISSING
    split: TaskSplit = MISSING
    tasks: int = MISSING
    mutants: int = MISSING
    near: float = MISSING
    out: str | None = MISSING
    seed: int = MISSING
    traceback: bool = MISSING
    cache_dir: str | None = MISSING
    domain: Any = MISSING
    hardware: Any = MISSING
    verification: Workers = MISSING
    sandbox: Any = MISSING


@dataclass
class AuditPolicy(AuditDomain):
    """`rlpt audit domain=NAME policy=NAME`."""

    samples: int = MISSING
    group_size: int = MISSING
    policy: Any = MISSING
    tool: Any = MISSING
    sampler: Any = MISSING


SCHEMAS: dict[str, type] = {
    "train_schema": Train,
    "eval_schema": Eval,
    "sft_schema": Sft,
    "program_schema": Program,
    "audit_schema": Audit,
    "audit_domain_schema": AuditDomain,
    "audit_policy_schema": AuditPolicy,
}
