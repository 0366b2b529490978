"""The progress line of a run: pure formatting, and a thin class that shows it."""

from __future__ import annotations

import statistics
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import IO, Self

from rich.console import Console
from rich.live import Live
from rich.text import Text

RECENT_STEPS = 5


@dataclass(frozen=True, slots=True)
class StepProgress:
    """What one finished step shows.

    `rewards` is the mean reward by domain (None: nothing scored). `seconds` is the time of each phase; what they
    leave of `step_s` is shown as `other`. `left_s` is None where it is not known yet.
    """

    step: int
    steps: int
    rewards: Mapping[str, float | None]
    tokens_per_s: float
    seconds: Mapping[str, float]
    step_s: float
    left_s: float | None = None


def format_line(progress: StepProgress) -> str:
    """One line of plain text.

    >>> format_line(StepProgress(3, 16, {"arithmetic": 0.4531}, 412.3, {"sample": 4.6, "update": 5.0}, 10.0, 130.0))
    'step  3/16 | arithmetic 0.45 | 412 tok/s | sample 46% update 50% other 4% | 2:10 left'
    """
    parts = [
        f"step {progress.step:>{len(str(progress.steps))}}/{progress.steps}",
        " ".join(f"{domain} {_reward(reward)}" for domain, reward in progress.rewards.items()),
        f"{progress.tokens_per_s:,.0f} tok/s",
        format_shares(progress.seconds, progress.step_s),
        f"{format_duration(progress.left_s)} left" if progress.left_s is not None else "",
    ]
    return " | ".join(part for part in parts if part)


def format_shares(seconds: Mapping[str, float], total_s: float) -> str:
    """Each phase's share of `total_s` in percent, and as `other` what they leave of it, where that is 1 % or more."""
    if total_s <= 0:
        return ""
    other = max(0.0, total_s - sum(seconds.values()))
    shares = [(name, value / total_s) for name, value in seconds.items()]
    if other / total_s >= 0.01:
        shares.append(("other", other / total_s))
    return " ".join(f"{name} {share:.0%}" for name, share in shares)


def format_duration(seconds: float) -> str:
    """`m:ss`, or `h:mm:ss` from an hour on."""
    whole = max(0, round(seconds))
    hours, rest = divmod(whole, 3600)
    minutes, secs = divmod(rest, 60)
    return f"{hours}:{minutes:02d}:{secs:02d}" if hours else f"{minutes}:{secs:02d}"


def time_left(step: int, steps: int, step_seconds: Sequence[float], after_s: float = 0.0) -> float | None:
    """Seconds that the remaining steps will take, by the median of the last five, plus `after_s` (an evaluation).

    None before the first step. The median keeps a slow first step (compilation) out of the estimate soon.
    """
    if not step_seconds:
        return None
    return statistics.median(step_seconds[-RECENT_STEPS:]) * max(0, steps - step) + after_s


@dataclass
class ProgressLine:
    """Shows a run's progress: a line that changes in place on a terminal, else one plain line a step.

    A context manager. Only rank 0 uses it.
    """

    steps: int
    stream: IO[str] | None = None
    after_s: float = 0.0
    _step_seconds: list[float] = field(default_factory=list, init=False)
    _live: Live | None = field(default=None, init=False)
    _line: str = field(default="", init=False)

    def __enter__(self) -> Self:
        console = Console(file=self.stream or sys.stdout)
        if console.is_terminal:
            self._live = Live(console=console, auto_refresh=False, redirect_stdout=True, redirect_stderr=True)
            self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._live is not None:
            self._show(self._line)
            self._live.stop()
            self._live = None

    def phase(self, name: str) -> None:
        """Say what the run is doing now; shown on a terminal only."""
        if self._live is not None:
            self._show(f"{self._line} | {name} ..." if self._line else f"{name} ...")

    def step(
        self,
        step: int,
        rewards: Mapping[str, float | None],
        tokens_per_s: float,
        seconds: Mapping[str, float],
        step_s: float,
    ) -> None:
        """Show a finished step; the time left comes from the steps shown so far."""
        self._step_seconds.append(step_s)
        left_s = time_left(step, self.steps, self._step_seconds, self.after_s)
        self._line = format_line(StepProgress(step, self.steps, rewards, tokens_per_s, seconds, step_s, left_s))
        if self._live is not None:
            self._show(self._line)
        else:
            print(self._line, file=self.stream or sys.stdout, flush=True)

    def _show(self, line: str) -> None:
        if self._live is not None:
            self._live.update(Text(line), refresh=True)  # Text, not str: domain names are not markup


def _reward(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"
