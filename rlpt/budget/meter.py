"""Counts what a run uses: tokens, operations and seconds, and says when its budget is used up."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any, Protocol


class Budget(Protocol):
    """Limits of a run; None sets no limit. The config group `budget` is one."""

    @property
    def steps(self) -> int | None:
        """RL steps."""

    @property
    def wall_s(self) -> float | None:
        """Seconds of wall time."""

    @property
    def tokens(self) -> int | None:
        """Sampled tokens."""


class Meter:
    """Totals of a run, over its resumes: `state_dict` goes into the checkpoint.

    `parameters` is the number of the model's parameters, for the operations: 2 for each parameter and sampled token,
    6 for each parameter and trained token (Kaplan et al., arXiv:2001.08361, section 2.1).
    """

    def __init__(
        self, parameters: int = 0, started: float | None = None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """`started` is the clock's value when the run began, where that was before now."""
        self.parameters = parameters
        self.steps = 0
        self.sampled_tokens = 0
        self.trained_tokens = 0
        self.seconds: dict[str, float] = {}
        self._clock = clock
        self._started = clock() if started is None else started
        self._carried_s = 0.0

    @property
    def wall_s(self) -> float:
        """Seconds since the run began, the time between a kill and its resume left out."""
        return self._carried_s + self._clock() - self._started

    @property
    def flops(self) -> float:
        """Operations so far, in the sense of the class."""
        return float(self.parameters) * (2 * self.sampled_tokens + 6 * self.trained_tokens)

    def add_step(self, sampled_tokens: int, trained_tokens: int, seconds: Mapping[str, float]) -> None:
        """Count one RL step: its tokens, and its seconds by phase."""
        self.steps += 1
        self.add_sampled(sampled_tokens)
        self.trained_tokens += trained_tokens
        for phase, value in seconds.items():
            self.seconds[phase] = self.seconds.get(phase, 0.0) + value

    def add_sampled(self, tokens: int) -> None:
        """Count tokens sampled outside a step (an evaluation)."""
        self.sampled_tokens += tokens

    def exceeded(self, budget: Budget) -> str | None:
        """The sentence that says which limit is reached, or None."""
        limits = (
            ("steps", self.steps, budget.steps, ""),
            ("wall_s", self.wall_s, budget.wall_s, " s"),
            ("tokens", self.sampled_tokens, budget.tokens, " sampled tokens"),
        )
        for name, used, limit, unit in limits:
            if limit is not None and used >= limit:
                return f"The budget is used up: budget.{name}={limit:g}{unit}, used {used:.0f}{unit}."
        return None

    def totals(self) -> dict[str, float]:
        """`budget/*` metrics: what was used so far."""
        return {
            "budget/sampled_tokens": self.sampled_tokens,
            "budget/trained_tokens": self.trained_tokens,
            "budget/flops": self.flops,
            "budget/wall_s": self.wall_s,
        }

    def state_dict(self) -> dict[str, Any]:
        """Plain values for a checkpoint."""
        return {
            "steps": self.steps,
            "sampled_tokens": self.sampled_tokens,
            "trained_tokens": self.trained_tokens,
            "seconds": dict(self.seconds),
            "wall_s": self.wall_s,
        }

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Go on from a checkpoint's totals."""
        self.steps = int(state["steps"])
        self.sampled_tokens = int(state["sampled_tokens"])
        self.trained_tokens = int(state["trained_tokens"])
        self.seconds = dict(state["seconds"])
        self._carried_s = float(state["wall_s"])
