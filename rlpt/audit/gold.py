"""Part of a domain's audit: does its verifier accept its own answers?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rlpt.audit.part import Part
from rlpt.domains.protocol import Domain, own_answers
from rlpt.evaluation.table import Table
from rlpt.records import Split, Task
from rlpt.verifiers.protocol import Scorer
from rlpt.verifiers.validate import Failure, validate


def gold_part(domain: str, source: Domain, tasks: Mapping[Split, Sequence[Task]], pool: Scorer) -> Part:
    """Have the domain's own answer to every task judged. Sound where all are accepted."""
    failures = {split: validate(own, own_answers(domain, source, own), pool) for split, own in tasks.items()}
    table = Table(
        ("own answers", "tasks", "accepted", "refused", "not judged"),
        [_row(split, len(own), failures[split]) for split, own in tasks.items()],
    )
    rows = [
        {
            "check": "gold",
            "domain": domain,
            "split": split,
            "row": failure.row,
            "task_id": failure.task_id,
            "judged": failure.judged,
            "detail": failure.detail,
        }
        for split, failed in failures.items()
        for failure in failed
    ]
    lines = [f"{split} {failure}" for split, failed in failures.items() for failure in failed]
    return Part("The domain's own answers, judged by its verifier", table, lines, rows, sound=not rows)


def _row(split: str, count: int, failures: Sequence[Failure]) -> tuple[str, ...]:
    unjudged = sum(not failure.judged for failure in failures)
    return split, *map(str, (count, count - len(failures), len(failures) - unjudged, unjudged))
