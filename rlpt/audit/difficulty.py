"""Part of a domain's audit: how hard are its tasks for a policy, and from how many can it learn?

Only scored samples count. A sample solves its task where it gets the full reward.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rlpt.audit.outcomes import FULL_REWARD
from rlpt.audit.part import Part
from rlpt.evaluation.sample import Sample
from rlpt.evaluation.table import NOTHING, Table
from rlpt.records import Task

BINS = (
    "solved by no sample: too hard",
    "solved by up to 1/4",
    "by more, up to 1/2",
    "by more, up to 3/4",
    "by more, but not by all",
    "solved by every sample: too easy",
)
"""Solve rates 0, (0, 1/4], (1/4, 1/2], (1/2, 3/4], (3/4, 1) and 1."""


@dataclass(frozen=True, slots=True)
class Tried:
    """One task and the rewards of its scored samples, of which there is at least one."""

    task_id: str
    rewards: Sequence[float]
    difficulty: float | None

    @property
    def solved(self) -> int:
        """How many samples got the full reward."""
        return sum(reward >= FULL_REWARD for reward in self.rewards)

    @property
    def rate(self) -> float:
        """The share of samples that got it."""
        return self.solved / len(self.rewards)


@dataclass(frozen=True, slots=True)
class PassAt:
    """The chance that one of `tries` samples solves a task, over the `tasks` that have as many scored samples."""

    tries: int
    chance: float
    tasks: int


@dataclass(frozen=True, slots=True)
class Level:
    """Tasks whose difficulty, by the domain's own number, is from `low` to `high`, and their mean solve rate."""

    low: float
    high: float
    tasks: int
    rate: float


@dataclass(frozen=True, slots=True)
class Difficulty:
    """How hard tasks are for a policy.

    `counts` has the number of tasks in each of BINS. `silent` is the expected share of groups of `group_size` whose
    rewards are all equal, so that they teach nothing; None without a task. `guessed` of the tasks have fewer scored
    samples than a group, so that their part in `silent` is an estimate on the high side.
    """

    tried: Sequence[Tried]
    counts: Sequence[int]
    pass_at: Sequence[PassAt]
    levels: Sequence[Level]
    group_size: int
    silent: float | None
    guessed: int
    unscored_samples: int
    unscored_tasks: Sequence[str]

    @property
    def too_hard(self) -> list[str]:
        """The ids of the tasks that no sample solves."""
        return [one.task_id for one in self.tried if one.solved == 0]

    @property
    def too_easy(self) -> list[str]:
        """The ids of the tasks that every sample solves."""
        return [one.task_id for one in self.tried if one.solved == len(one.rewards)]


def assess(
    rewards: Mapping[str, Sequence[float | None]], difficulties: Mapping[str, float | None], group_size: int
) -> Difficulty:
    """What the rewards of each task's samples say; None is a sample that was not scored.

    `difficulties` may lack tasks. Raises ValueError for a group of none.
    """
    if group_size < 1:
        raise ValueError(f"a group has 1 sample or more; it is {group_size}")
    scored = {name: [reward for reward in given if reward is not None] for name, given in rewards.items()}
    tried = [Tried(name, given, difficulties.get(name)) for name, given in scored.items() if given]
    places = Counter(_bin(one) for one in tried)
    silent = [equal_rewards(one.rewards, group_size) for one in tried]
    return Difficulty(
        tried=tried,
        counts=[places[place] for place in range(len(BINS))],
        pass_at=_pass_at(tried),
        levels=_levels(tried),
        group_size=group_size,
        silent=_mean(silent) if silent else None,
        guessed=sum(len(one.rewards) < group_size for one in tried),
        unscored_samples=sum(reward is None for given in rewards.values() for reward in given),
        unscored_tasks=[name for name, given in scored.items() if not given],
    )


def pass_at(samples: int, solved: int, tries: int) -> float:
    """The chance that at least one of `tries` samples solves a task of which `solved` of `samples` did, unbiased.

    Chen et al., "Evaluating large language models trained on code", arXiv:2107.03374, equation 1.
    Raises ValueError unless 1 <= tries <= samples and 0 <= solved <= samples.
    """
    if not (1 <= tries <= samples and 0 <= solved <= samples):
        raise ValueError(f"{solved} of {samples} samples solved say nothing of {tries} tries")
    return 1.0 - math.comb(samples - solved, tries) / math.comb(samples, tries)


def equal_rewards(rewards: Sequence[float], group_size: int) -> float:
    """The chance that the rewards of a group are all equal, from those of at least one sample of the task.

    With as many samples as a group has, or more, the share of groups among them, which is unbiased. With fewer, the
    chance under the observed shares, which is on the high side: p^G + (1 - p)^G for rewards of 1 and 0.
    """
    n = len(rewards)
    counts = Counter(rewards).values()
    if n >= group_size:
        return sum(math.comb(count, group_size) for count in counts) / math.comb(n, group_size)
    return math.fsum((count / n) ** group_size for count in counts)


def difficulty_table(found: Difficulty) -> Table:
    """Tasks and shares: by how often they are solved, pass@1, 2, 4, ..., groups without a signal, by difficulty."""
    whole = len(found.tried)
    rows = [
        *(
            (name, str(count), _share(count / whole if whole else None))
            for name, count in zip(BINS, found.counts, strict=True)
        ),
        *((f"pass@{one.tries}", str(one.tasks), _share(one.chance)) for one in found.pass_at),
        (f"groups of {found.group_size} with equal rewards, expected", str(whole), _share(found.silent)),
        *((f"solve rate at difficulty {_span(level)}", str(level.tasks), _share(level.rate)) for level in found.levels),
    ]
    return Table(("answers of the policy", "tasks", "share"), rows, _notes(found))


def difficulty_part(domain: str, tasks: Sequence[Task], samples: Sequence[Sample], group_size: int) -> Part:
    """How hard `tasks` are for the policy that wrote `samples`. Nothing here is unsound: it depends on the policy."""
    rewards: dict[str, list[float | None]] = defaultdict(list)
    for sample in samples:
        rewards[sample.task_id].append(sample.reward)
    found = assess(rewards, {task.task_id: task.difficulty for task in tasks}, group_size)
    lines = [
        *(f"too hard: {task_id}" for task_id in found.too_hard),
        *(f"too easy: {task_id}" for task_id in found.too_easy),
    ]
    rows = [
        {
            "check": "difficulty",
            "domain": domain,
            "task_id": one.task_id,
            "difficulty": one.difficulty,
            "scored": len(one.rewards),
            "solved": one.solved,
            "equal_rewards": equal_rewards(one.rewards, group_size),
        }
        for one in found.tried
    ]
    return Part("How hard the tasks are", difficulty_table(found), lines, rows)


def _bin(one: Tried) -> int:
    """The place in BINS, in whole numbers: no rate is rounded across an edge."""
    solved, samples = one.solved, len(one.rewards)
    return len(BINS) - 1 if solved == samples else -(-4 * solved // samples)


def _pass_at(tried: Sequence[Tried]) -> list[PassAt]:
    most = max((len(one.rewards) for one in tried), default=0)
    found = []
    for tries in (2**power for power in range(most.bit_length())):
        chances = [pass_at(len(one.rewards), one.solved, tries) for one in tried if len(one.rewards) >= tries]
        found.append(PassAt(tries, _mean(chances), len(chances)))
    return found


def _levels(tried: Sequence[Tried]) -> list[Level]:
    """Quarters of the tasks by difficulty, the lowest first; fewer where many are equal, since those stay together."""
    known = sorted((one.difficulty, one.rate) for one in tried if one.difficulty is not None)
    same = Counter(difficulty for difficulty, _ in known)
    quarter: dict[float, int] = {}
    below = 0
    for difficulty, count in same.items():
        quarter[difficulty] = 4 * (2 * below + count) // (2 * len(known))  # by the middle one of the equal ones
        below += count
    groups: dict[int, list[tuple[float, float]]] = defaultdict(list)
    for difficulty, rate in known:
        groups[quarter[difficulty]].append((difficulty, rate))
    return [Level(own[0][0], own[-1][0], len(own), _mean([rate for _, rate in own])) for own in groups.values()]


def _notes(found: Difficulty) -> list[str]:
    notes = []
    if found.unscored_samples:
        notes.append(f"Samples that were not scored, left out: {found.unscored_samples}.")
    if found.unscored_tasks:
        notes.append(f"Tasks without a scored sample, left out: {len(found.unscored_tasks)}.")
    if found.guessed:
        size = found.group_size
        notes.append(f"Tasks with fewer scored samples than {size}; equal rewards are put too high: {found.guessed}.")
    return notes


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)


def _share(value: float | None) -> str:
    """`0.934`, or `-` of nothing; 1 and 0 are written only where they are exact."""
    if value is None:
        return NOTHING
    return f"{value if value in (0.0, 1.0) else min(max(value, 0.001), 0.999):.3f}"


def _span(level: Level) -> str:
    return f"{level.low:g}" if level.low == level.high else f"{level.low:g} to {level.high:g}"
