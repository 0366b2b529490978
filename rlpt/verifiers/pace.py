"""How long a verdict may take, from how long those before it took."""

from __future__ import annotations

from rlpt.verifiers.jobs import Job

RETRY_SHARE = 0.25
"""Of the time limit: a second try's own, since what hung once mostly hangs again."""

MIN_OVERDUE_S = 0.5
OVERDUE_FACTOR = 8.0
"""Of a domain's mean time of a verdict."""


class Pace:
    """The mean time of each domain's verdicts. `timeout_s`: wall clock of one verdict."""

    def __init__(self, timeout_s: float) -> None:
        self._timeout_s = timeout_s
        self._seconds: dict[str, tuple[int, float]] = {}  # domain -> verdicts so far and their time in all

    def took(self, domain: str, seconds: float) -> None:
        """Note the time of one verdict."""
        count, total_s = self._seconds.get(domain, (0, 0.0))
        self._seconds[domain] = (count + 1, total_s + seconds)

    def overdue_s(self, domain: str) -> float:
        """Seconds after which a verdict is overdue."""
        count, total_s = self._seconds.get(domain, (1, RETRY_SHARE * self._timeout_s / OVERDUE_FACTOR))
        return max(MIN_OVERDUE_S, OVERDUE_FACTOR * total_s / count)

    def limit_s(self, job: Job) -> float:
        """Seconds after which the worker is given up."""
        if not job.failures:
            return self._timeout_s
        return min(self._timeout_s, max(RETRY_SHARE * self._timeout_s, self.overdue_s(job.domain)))
