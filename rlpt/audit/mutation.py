"""Part of a domain's audit: do its hidden tests notice when a right program is changed?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from rlpt.audit.mutants import Mutant, mutants
from rlpt.audit.outcomes import FULL_REWARD
from rlpt.audit.part import Part, share
from rlpt.domains.protocol import Domain
from rlpt.errors import UserError
from rlpt.evaluation.table import Table
from rlpt.records import Task, Verdict
from rlpt.verifiers.fences import fences
from rlpt.verifiers.programs import PYTHON, parse
from rlpt.verifiers.protocol import Scorer


@dataclass(frozen=True, slots=True)
class Tested:
    """What one task's tests said of the changed versions of its program, in order."""

    task_id: str
    mutants: Sequence[Mutant]
    verdicts: Sequence[Verdict]

    @property
    def survivors(self) -> list[Mutant]:
        """Those that got the full reward."""
        return [one for one, verdict in zip(self.mutants, self.verdicts, strict=True) if verdict.reward == FULL_REWARD]

    @property
    def unscored(self) -> int:
        """How many got no verdict."""
        return sum(verdict.reward is None for verdict in self.verdicts)

    @property
    def killed(self) -> int:
        """How many did not get the full reward."""
        return len(self.mutants) - len(self.survivors) - self.unscored

    def row(self, domain: str) -> dict[str, Any]:
        """Plain values for a file."""
        return {
            "check": "mutants",
            "domain": domain,
            "task_id": self.task_id,
            "mutants": len(self.mutants),
            "killed": self.killed,
            "not_judged": self.unscored,
            "survivors": [{"change": one.change, "program": one.program} for one in self.survivors],
        }


def mutation_part(
    domain: str, source: Domain, tasks: Sequence[Task], pool: Scorer, most: int, seed: int
) -> Part | None:
    """Change the programs that are the domain's own answers, at most `most` times each, and have them judged.

    None where those answers hold no program. What survives is a hole in the tests, or does the same as the original:
    nobody can tell the two apart in general, so survivors are shown and no verdict is passed on them.
    """
    changed = [(task, *_changed(task, source.demonstration(task), most, seed)) for task in tasks]
    changed = [one for one in changed if one[1]]
    if not changed:
        return None
    unchanged = pool.score([(task, source.demonstration(task)) for task, _, _ in changed])
    left_out = sum(verdict.reward != FULL_REWARD for verdict in unchanged)
    # Where the program itself is refused, that its changed versions are says nothing.
    changed = [one for one, verdict in zip(changed, unchanged, strict=True) if verdict.reward == FULL_REWARD]
    verdicts = iter(pool.score([(task, completion) for task, _, completions in changed for completion in completions]))
    tested = [Tested(task.task_id, made, [next(verdicts) for _ in made]) for task, made, _ in changed]
    total, killed = sum(len(one.mutants) for one in tested), sum(one.killed for one in tested)
    unscored = sum(one.unscored for one in tested)
    table = Table(
        ("changed programs", "tasks", "programs", "refused", "share", "tasks with\na survivor", "not judged"),
        [
            (
                "by hidden tests",
                str(len(tested)),
                str(total),
                str(killed),
                share(killed, total - unscored),
                str(sum(bool(one.survivors) for one in tested)),
                str(unscored),
            )
        ],
        [f"Left out: {left_out} tasks whose own program is refused as it is."] if left_out else [],
    )
    weakest = sorted(tested, key=lambda one: one.killed / len(one.mutants))
    lines = [
        f"{one.task_id}: {one.killed} of {len(one.mutants)} refused; survived: "
        + "; ".join(mutant.change for mutant in one.survivors)
        for one in weakest
        if one.survivors
    ]
    return Part("Hidden tests against changed programs", table, lines, [one.row(domain) for one in tested])


def _changed(task: Task, demonstration: str, most: int, seed: int) -> tuple[list[Mutant], list[str]]:
    """The changed versions of an answer's last Python program, and the answers that they make."""
    programs = [inside for language, inside in fences(demonstration) if language in PYTHON]
    if not programs or parse(programs[-1]) is None:
        return [], []
    before, program, after = demonstration.rpartition(programs[-1])
    try:
        made = mutants(program, most, seed)
    except UserError as error:
        raise UserError(f"{task.domain}, the domain's own answer to {task.task_id}: {error}") from error
    return made, [f"{before}{one.program.rstrip()}\n{after}" for one in made]
