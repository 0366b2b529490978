"""What a verifier pool has to do."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import Any

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


def plain_value(choice: object) -> Any:  # noqa: ANN401
    """A configuration's choice from an enumeration, as the plain value that it stands for."""
    if isinstance(choice, Enum):
        return choice.value
    raise TypeError(f"{type(choice).__name__} is none")
