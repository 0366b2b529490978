"""Hundreds of programs in one sandbox, a tenth of them hostile: are all judged rightly, is anything left behind?"""

from __future__ import annotations

import gc
import os
import random
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from _human_eval import Problem, fenced, spread
from _peers import in_turn

from rlpt.records import Task, Verdict
from rlpt.sandbox.engine import missing_engine
from rlpt.sandbox.protocol import Limits
from rlpt.sandbox.warm import WarmSandbox
from rlpt.verifiers.unit_tests import UnitTestsVerifier
from tests.sandbox.hostile_programs import ALL, AT_LENGTH, BREAKOUTS, TASK

HOSTILE_EVERY = 10
LIMITS = Limits(wall_s=4.0, cpu_s=4.0)
"""Of the sandbox: a program that lasts shall not last long."""

NOBODY = 65534
SETTLE_S = 20.0
"""How long the engine may take to remove what was closed."""


@dataclass(frozen=True)
class Item:
    """What a verifier is asked, the reward that is right, and the status, where only one is right."""

    task: Task
    completion: str
    reward: float
    status: str | None = None


@dataclass(frozen=True)
class Left:
    """What a sandbox could leave: in the engine, below this process, in the folders for temporary files."""

    containers: frozenset[str]
    processes: frozenset[str]
    descriptors: int
    files: frozenset[str]


def soak(build: Callable[[], WarmSandbox], problems: Sequence[Problem], count: int, seed: int) -> dict[str, Any]:
    """Judge `count` programs, two at once, and close; return the figures.

    `verdicts_right`: of those, with the right reward. `statuses_right`: of `statuses_known`, those where only one
    status is right. What is left is counted after closing, less what was there before.
    """
    before, start = left(), time.perf_counter()
    sandbox = build()
    verifier = UnitTestsVerifier(sandbox)

    def judge(item: Item) -> Verdict:
        return verifier.verify(item.task, item.completion)

    items = make_items(problems, count, seed)
    # Every reference and every hostile program once: what is remembered of them, and the largest answer, is no leak.
    hostile = [item for item in items if item.task is TASK]
    in_turn(judge, [Item(one.task, one.completion, 1.0) for one in problems] + hostile)
    resident = resident_mb()
    verdicts, _ = in_turn(judge, items)
    grown = resident_mb() - resident
    counters = {name: getattr(sandbox, name) for name in ("opened", "lost", "infra_errors")}
    verifier.close()
    after = settled(before)
    return {
        "programs": len(items),
        "hostile": len(hostile),
        "seconds": round(time.perf_counter() - start, 1),
        **judged(items, verdicts),
        "left_containers": len(after.containers - before.containers),
        "left_processes": len(after.processes - before.processes),
        "left_descriptors": after.descriptors - before.descriptors,
        "left_files": sorted(after.files - before.files),
        "rss_growth_mb": round(grown, 2),
        **counters,
    }


def make_items(problems: Sequence[Problem], count: int, seed: int) -> list[Item]:
    """Half of the honest programs right, half wrong; hostile ones of all kinds, those that last or break out first."""
    hostile = count // HOSTILE_EVERY
    rng = random.Random(seed)
    others = [name for name in ALL if name not in AT_LENGTH and name not in BREAKOUTS]
    names = [*AT_LENGTH, *BREAKOUTS, *rng.sample(others, len(others))]
    bad = [Item(TASK, fenced(ALL[name]), 0.0, AT_LENGTH.get(name, ("", None))[1]) for name in names[:hostile]]
    good = [
        Item(one.task, one.wrong if number % 2 else one.completion, float(number % 2 == 0))
        for number, one in enumerate(spread(problems * 4, count - len(bad), seed))
    ]
    items = [*bad, *good]
    rng.shuffle(items)
    return items


def judged(items: Sequence[Item], verdicts: Sequence[Verdict]) -> dict[str, Any]:
    """How many are right, and what those are that are not."""
    pairs = list(zip(items, verdicts, strict=True))
    known = [(item, verdict) for item, verdict in pairs if item.status is not None]
    names = {fenced(source): name for name, source in ALL.items()}
    wrong = [(item, verdict) for item, verdict in pairs if verdict.reward != item.reward]
    wrong += [(item, verdict) for item, verdict in known if not right(item, verdict)]
    texts = [f"{names.get(item.completion, item.task.task_id)}: {v.reward} {v.status} {v.detail}" for item, v in wrong]
    return {
        "verdicts_right": sum(verdict.reward == item.reward for item, verdict in pairs),
        "statuses_known": len(known),
        "statuses_right": sum(right(item, verdict) for item, verdict in known),
        "wrong": [text[:200] for text in texts],
    }


def right(item: Item, verdict: Verdict) -> bool:
    """Whether a status is right; what a program did that has no honest reason comes before the limit that it met."""
    return verdict.status in (item.status, "suspicious")


def left() -> Left:
    """Look at the machine."""
    gc.collect()
    folders = {Path(tempfile.gettempdir()), Path("/tmp"), Path("/dev/shm")}
    return Left(
        containers=containers(),
        processes=frozenset(descendants(os.getpid())),
        descriptors=len(list(Path("/proc/self/fd").iterdir())),
        files=frozenset(str(path) for folder in folders if folder.is_dir() for path in folder.iterdir() if ours(path)),
    )


def ours(path: Path) -> bool:
    """Whether a sandbox or a program in one can have made a file: as root it runs as nobody, else as this user."""
    with suppress(OSError):  # it has just gone
        owner = path.lstat().st_uid
        return path.name.startswith("rlpt-sandbox") or owner == (NOBODY if os.geteuid() == 0 else os.geteuid())
    return False


def settled(before: Left) -> Left:
    """Look until nothing is there that was not before, or for SETTLE_S."""
    until = time.monotonic() + SETTLE_S
    while True:
        now = left()
        same = now.containers <= before.containers and now.processes <= before.processes
        if time.monotonic() > until or (same and now.descriptors <= before.descriptors):
            return now
        time.sleep(0.1)


def containers() -> frozenset[str]:
    """The engine's containers."""
    if missing_engine() is not None:
        return frozenset()
    from rlpt.sandbox.docker import connect

    with closing(connect()) as client:
        return frozenset(one["Id"] for one in client.api.containers(all=True))


def descendants(pid: int | str) -> set[str]:
    """Processes below one; what an engine of this benchmark's own starts is below it too."""
    found: set[str] = set()
    with suppress(OSError):  # it has just ended
        for file in Path(f"/proc/{pid}/task").glob("*/children"):
            found.update(file.read_text().split())
    return found.union(*(descendants(child) for child in found))


def resident_mb() -> float:
    """Memory of this process, MiB."""
    gc.collect()
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20
