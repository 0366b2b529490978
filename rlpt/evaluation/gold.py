"""Before a run: every domain's own answers must pass its own verifier. That they do is kept, by fingerprint."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Mapping, Sequence
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
from rlpt.tracking.files import dump_json
from rlpt.verifiers.protocol import Scorer
from rlpt.verifiers.validate import Failure, validate

log = logging.getLogger(__name__)

NAMED = 5
"""Failing rows that a message names."""


def check_gold(
    cfg: DictConfig, domains: Mapping[str, Domain], splits: Mapping[str, Mapping[str, Sequence[Task]]], pool: Scorer
) -> None:
    """Have the verifiers of a run judge the domains' own answers to its tasks: `splits` is split -> domain -> tasks.

    Tasks, answers, configuration and code of which all passed are not judged again from the same cache folder; a
    failure is never kept, as it may have been the machine's. Failures within the share that the user allows
    (`verification.max_failing_share`) are logged by name; a share of 1 leaves the check out.

    Raises:
        UserError: naming rows, where more fail than that, or one cannot be judged at all: its rewards could not be
            trusted.
    """
    share = cfg.verification.max_failing_share
    if share >= 1.0:
        return
    for split, tasks in splits.items():
        for name, own in tasks.items():
            answers = own_answers(name, domains[name], own)
            verifier = without_sandboxes(plain(cfg.domain[name].verifier))
            key = dump_json([fingerprint(own), answers, verifier, judging_code(verifier)], canonical=True)
            passed = cache_folder(cfg) / "gold" / hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()
            if passed.is_dir():
                continue
            failures = validate(own, answers, pool)
            if not failures:
                _keep(passed)
            _report(name, f"{len(own)} {split} tasks", failures, share * len(own))


def _keep(passed: Path) -> None:
    try:
        cached_folder(passed, lambda folder: None)
    except UserError as error:  # a cache that others have filled may be read-only
        log.warning("The check of the domains' own answers is not kept: %s", error)


def _report(domain: str, what: str, failures: Sequence[Failure], most: float) -> None:
    if not failures:
        return
    unjudged = [failure for failure in failures if not failure.judged]
    if unjudged:
        raise UserError(
            f"The verifier of domain {domain} cannot judge {len(unjudged)} of its {what}: {_named(unjudged)}; mend "
            "their references or choose another verifier."
        )
    sentence = (
        f"The verifier of domain {domain} refuses the domain's own answers to {len(failures)} of its {what}: "
        f"{_named(failures)}"
    )
    if len(failures) > most:
        raise UserError(
            f"{sentence}; mend the domain, choose another verifier, or raise verification.max_failing_share."
        )
    log.warning("%s.", sentence)


def _named(failures: Sequence[Failure]) -> str:
    names = [" ".join(visible(str(failure)).split()) for failure in failures[:NAMED]]
    rest = len(failures) - len(names)
    return "; ".join([*names, f"and {rest} more"] if rest else names)
