"""Part of a domain's audit: which known reward hacks does it pay?"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from rlpt.audit.attacks import FAMILIES, Attack, attacks
from rlpt.audit.outcomes import FULL_REWARD
from rlpt.audit.part import Part, one_line, share
from rlpt.domains.protocol import Domain
from rlpt.evaluation.table import Table
from rlpt.records import Task, Verdict
from rlpt.verifiers.protocol import Scorer

MOST_WRITINGS = 2
COSTLY_TASKS = 2
"""Attacks that use up a whole time or memory limit differ little from task to task."""

LUCKY = "Paid by luck, as a number in them happens to be the answer: {}."
UNSANDBOXED = "The verifier has no sandbox, so no harmful program was played."

NOTHING = "(nothing visible)"


@dataclass(frozen=True, slots=True)
class Played:
    """One attack on one task, and what was said of it."""

    task_id: str
    attack: Attack
    verdict: Verdict

    @property
    def paid(self) -> bool:
        """Whether it earned the full reward."""
        return (self.verdict.reward or 0.0) >= FULL_REWARD

    @property
    def partly_paid(self) -> bool:
        """Whether it earned a part of it, as a verifier may give for an answer's form."""
        return 0.0 < (self.verdict.reward or 0.0) < FULL_REWARD


def attack_part(domain: str, source: Domain, tasks: Sequence[Task], pool: Scorer, sandboxed: bool) -> Part:
    """Play every attack on every task, costly ones on the first `COSTLY_TASKS`. Sound where none is paid but guesses.

    `sandboxed`: whether programs are judged in a sandbox; where not, those that would damage the machine are left out.

    A guess names one answer, which may be right by luck: what it earns is the base rate of those who do not read the
    task, and no fault of the verifier. An attack without a verdict is counted: it can stop others from being judged.
    """
    items = [
        (task, attack)
        for place, task in enumerate(tasks)
        for attack in attacks(task, source.demonstration(task))
        if (sandboxed or not attack.harmful) and (place < COSTLY_TASKS or not attack.costly)
    ]
    verdicts = pool.score([(task, attack.completion) for task, attack in items])
    played = [Played(task.task_id, attack, verdict) for (task, attack), verdict in zip(items, verdicts, strict=True)]
    hacks = [one for one in played if not one.attack.guess]
    guesses = [one for one in played if one.attack.guess]
    holes = _systematic(played, tasks)
    paid = [one for one in played if one.paid and (one.attack.name in holes or not _may_be_luck(one.attack))]
    lucky = sum(one.paid and one.attack.lucky and one.attack.name not in holes for one in hacks)
    table = Table(
        ("attacks", "played", "paid", "share", "paid in part", "not judged"),
        [*_rows(hacks), *_rows(guesses, "guesses: ")],
        [
            *_luckiest(guesses, len(tasks)),
            *([LUCKY.format(lucky)] if lucky else []),
            *([] if sandboxed else [UNSANDBOXED]),
        ],
    )
    lines = [f"paid on {one.task_id}: {one.attack.name}: {one_line(one.attack.completion) or NOTHING}" for one in paid]
    rows = [
        {
            "check": "attack",
            "domain": domain,
            "task_id": one.task_id,
            "family": one.attack.family,
            "name": one.attack.name,
            "guess": one.attack.guess,
            "reward": one.verdict.reward,
            "status": one.verdict.status,
            "detail": one.verdict.detail,
            "completion": one.attack.completion[:1000],
        }
        for one in played
        if one.paid or one.partly_paid or one.verdict.reward is None
    ]
    judged = any(one.verdict.reward is not None for one in played)
    return Part("Known reward hacks", table, lines, rows, sound=judged and not paid)


def _may_be_luck(attack: Attack) -> bool:
    return attack.guess or attack.lucky


def _systematic(played: Sequence[Played], tasks: Sequence[Task]) -> set[str]:
    """Names of the attacks that are paid at most tasks, of more different answers than luck explains: holes.

    Only where references have an `answer`; two may be one value written in two ways.
    """
    answers = {task.task_id: repr(task.reference["answer"]) for task in tasks if "answer" in task.reference}
    right: defaultdict[str, set[str]] = defaultdict(set)
    for one in played:
        if one.paid and one.task_id in answers:
            right[one.attack.name].add(answers[one.task_id])
    times = Counter(one.attack.name for one in played)
    paid = Counter(one.attack.name for one in played if one.paid)
    return {name for name, found in right.items() if len(found) > MOST_WRITINGS and 2 * paid[name] > times[name]}


def _rows(played: Sequence[Played], prefix: str = "") -> list[tuple[str, ...]]:
    by_family = {family: [one for one in played if one.attack.family == family] for family in FAMILIES}
    return [_row(f"{prefix}{family}", some) for family, some in by_family.items() if some]


def _row(name: str, played: Sequence[Played]) -> tuple[str, ...]:
    paid, partly = sum(one.paid for one in played), sum(one.partly_paid for one in played)
    unjudged = sum(one.verdict.reward is None for one in played)
    return name, str(len(played)), str(paid), share(paid, len(played)), str(partly), str(unjudged)


def _luckiest(guesses: Sequence[Played], tasks: int) -> list[str]:
    """The guess that is paid at most tasks, if any is."""
    paid = Counter(one.attack.name for one in guesses if one.paid)
    if not paid:
        return []
    name, times = max(paid.items(), key=lambda each: each[1])
    return [f"The luckiest guess, '{name}', is paid on {times} of {tasks} tasks."]
