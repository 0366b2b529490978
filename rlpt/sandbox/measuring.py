"""How fast a sandbox is on this machine: programs a second, as many at once as it has places."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from statistics import median

from rlpt.sandbox.protocol import Execution
from rlpt.sandbox.warm import WarmSandbox

PROGRAMS: Mapping[str, str] = {
    "does nothing": "pass",
    "imports": (
        "import collections, json, re, typing\n"
        "words = collections.Counter(re.findall(r'\\w+', 'the cat and the other cat'))\n"
        "print(json.dumps(words))"
    ),
    "crashes": "raise ValueError('on purpose')",
}
"""What is measured, by a word for a person."""


@dataclass(frozen=True, slots=True)
class Speed:
    """What came of one program, run again and again.

    `per_s`: programs a second, all places together. `median_s`: seconds of one, its wait for a place and its reset
    included. `reset_median_s`: of that, the seconds that cleaning up took. `statuses`: how often it ended how.
    """

    programs: int
    per_s: float
    median_s: float
    reset_median_s: float
    statuses: Mapping[str, int]


def measure(sandbox: WarmSandbox, program: str, for_s: float) -> Speed:
    """Run a program in all places of a sandbox until `for_s` seconds are over, at least once in each."""
    start = time.monotonic()
    with ThreadPoolExecutor(sandbox.concurrency) as places:
        runs = [places.submit(_again_and_again, sandbox, program, start + for_s) for _ in range(sandbox.concurrency)]
        timed = [one for run in runs for one in run.result()]
    return speed(timed, time.monotonic() - start)


def speed(timed: Sequence[tuple[float, Execution]], seconds: float) -> Speed:
    """Put together what some executions, each with its seconds, say of a sandbox that did them in `seconds`."""
    return Speed(
        programs=len(timed),
        per_s=len(timed) / seconds,
        median_s=median(taken for taken, _ in timed),
        reset_median_s=median(execution.reset_s for _, execution in timed),
        statuses=dict(Counter(execution.status for _, execution in timed)),
    )


def _again_and_again(sandbox: WarmSandbox, program: str, until: float) -> list[tuple[float, Execution]]:
    timed = []
    while True:
        start = time.monotonic()
        execution = sandbox.run_sync(program)
        end = time.monotonic()
        timed.append((end - start, execution))
        if end >= until:
            return timed
