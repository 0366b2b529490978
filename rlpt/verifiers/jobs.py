"""What a verifier pool has to do."""

from __future__ import annotations

from dataclasses import dataclass, field

from rlpt.records import Verdict


@dataclass
class Batch:
    """The completions of one call of `score`, and how many of them have no verdict yet."""

    verdicts: list[tuple[Verdict, float] | None]
    left: int
    error: Exception | None = None


@dataclass
class Job:
    """One completion to judge. `seconds`: of all tries together; `failures`: what went wrong in each."""

    batch: Batch
    index: int
    domain: str
    request: bytes
    failures: list[str] = field(default_factory=list)
    seconds: float = 0.0
    overdue: bool = False
