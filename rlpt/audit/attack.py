"""Part of a domain's audit: which known reward hacks does it pay?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from rlpt.audit.attacks import FAMILIES, Attack, attacks
from rlpt.audit.outcomes import FULL_REWARD
from rlpt.audit.part import Part, one_line, share
from rlpt.domains.protocol import Domain
from rlpt.evaluation.table import Table
from rlpt.records import Task, Verdict
from rlpt.verifiers.protocol import Scorer

COSTLY_TASKS = 2
"""Attacks that use up a whole time or memory limit differ little from task to task."""

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
    paid = [one for one in hacks if one.paid]
    table = Table(
        ("attacks", "played", "paid", "share", "paid in part", "not judged"),
        [*_rows(hacks), *_rows(guesses, "guesses: ")],
        [*_luckiest(guesses), *([] if sandboxed else [UNSANDBOXED])],
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
    return Part("Known reward hacks", table, lines, rows, sound=not paid)


def _rows(played: Sequence[Played], prefix: str = "") -> list[tuple[str, ...]]:
    by_family = {family: [one for one in played if one.attack.family == family] for family in FAMILIES}
    return [_row(f"{prefix}{family}", some) for family, some in by_family.items() if some]


def _row(name: str, played: Sequence[Played]) -> tuple[str, ...]:
    paid, partly = sum(one.paid for one in played), sum(one.partly_paid for one in played)
    unjudged = sum(one.verdict.reward is None for one in played)
    return name, str(len(played)), str(paid), share(paid, len(played)), str(partly), str(unjudged)


def _luckiest(guesses: Sequence[Played]) -> list[str]:
    """The guess that is paid most often, if any is."""
    paid, count = (Counter(one.attack.name for one in some) for some in ([g for g in guesses if g.paid], guesses))
    if not paid:
        return []
    name, times = max(paid.items(), key=lambda each: (each[1] / count[each[0]], each[1]))
    return [f"Always answering with '{name}' is paid on {times} of {count[name]} tasks: luck, no hack."]
