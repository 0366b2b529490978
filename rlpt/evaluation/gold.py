"""Before a run: every domain's own answers must pass its own verifier. What was found is kept, by fingerprint."""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

from omegaconf import DictConfig

from rlpt.assembly import cache_folder, plain
from rlpt.domains.protocol import Domain, own_answers
from rlpt.domains.splits import fingerprint
from rlpt.errors import UserError
from rlpt.evaluation.judging_code import judging_code
from rlpt.evaluation.suite import without_sandboxes
from rlpt.evaluation.text import visible
from rlpt.policy.cache import cached_folder
from rlpt.records import Task
from rlpt.tracking.files import dump_json, write_json
from rlpt.verifiers.protocol import Scorer
from rlpt.verifiers.validate import Failure, validate

log = logging.getLogger(__name__)

NAMED = 5
"""Failing rows that a message names; the file that it points to has them all."""
FILE = "failures.json"


def check_gold(
    cfg: DictConfig, domains: Mapping[str, Domain], splits: Mapping[str, Mapping[str, Sequence[Task]]], pool: Scorer
) -> None:
    """Have the verifiers of a run judge the domains' own answers to its tasks: `splits` is split -> domain -> tasks.

    The same tasks, answers, configuration and code are judged once for each cache folder. Failures within the share
    that the user allows (`verification.max_failing_share`) are logged by name; a share of 1 leaves the check out.

    Raises:
        UserError: naming rows, where more fail than that, or one cannot be judged at all: its rewards could not be
            trusted.
    """
    share = cfg.verification.max_failing_share
    if share >= 1.0:
        return
    for split, tasks in splits.items():
        for name, own in tasks.items():
            what = f"{len(own)} {split} tasks"
            answers = own_answers(name, domains[name], own)
            verifier = without_sandboxes(plain(cfg.domain[name].verifier))
            key = dump_json([fingerprint(own), answers, verifier, judging_code(verifier)], canonical=True)
            target = cache_folder(cfg) / "gold" / hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()
            file = cached_folder(target, _judging(name, what, own, answers, pool)) / FILE
            _report(name, what, [Failure(**row) for row in json.loads(file.read_text("utf-8"))], share * len(own), file)


def _judging(
    domain: str, what: str, tasks: Sequence[Task], answers: Sequence[str], pool: Scorer
) -> Callable[[Path], None]:
    def judge(folder: Path) -> None:
        failures = validate(tasks, answers, pool)
        unjudged = [failure for failure in failures if not failure.judged]
        if unjudged:
            # Not kept: it may be the machine's fault, and where it is the task's, no run can start anyway.
            raise UserError(
                f"The verifier of domain {domain} cannot judge {len(unjudged)} of its {what}: {_named(unjudged)}; mend "
                "their references or choose another verifier."
            )
        write_json(folder / FILE, [asdict(failure) for failure in failures])

    return judge


def _report(domain: str, what: str, failures: Sequence[Failure], most: float, file: Path) -> None:
    if not failures:
        return
    sentence = (
        f"The verifier of domain {domain} refuses the domain's own answers to {len(failures)} of its {what}: "
        f"{_named(failures)}"
    )
    if len(failures) > most:
        raise UserError(
            f"{sentence}; mend the domain, choose another verifier, or raise verification.max_failing_share."
        )
    log.warning("%s; all are in %s", sentence, file)


def _named(failures: Sequence[Failure]) -> str:
    names = [" ".join(visible(str(failure)).split()) for failure in failures[:NAMED]]
    rest = len(failures) - len(names)
    return "; ".join([*names, f"and {rest} more"] if rest else names)
