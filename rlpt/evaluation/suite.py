"""What an evaluation is made of, by domain, with a fingerprint: only evaluations of the same suite are compared."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

from rlpt.domains.splits import fingerprint
from rlpt.errors import UserError
from rlpt.records import Task
from rlpt.tracking.files import dump_json


@dataclass(frozen=True, slots=True)
class DomainSuite:
    """The fixed tasks of one domain.

    `fingerprint` is that of the tasks; `settings` is what changes the meaning of a result beside them: temperature, new
    tokens, the verifier. `name` is what the suite is called, whatever it is made of.
    """

    split: str
    tasks: int
    fingerprint: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    name: str = "suite"

    @property
    def digest(self) -> str:
        """The SHA-256 of all that the suite is made of: 64 hex digits."""
        made_of = [self.split, self.fingerprint, self.settings]
        return hashlib.sha256(_canonical(made_of).encode("utf-8", "surrogatepass")).hexdigest()

    @property
    def identity(self) -> str:
        """`default-1f0c94be`: the name, and the start of the digest, which tells suites of one name apart."""
        return f"{self.name}-{self.digest[:SHOWN]}"

    @property
    def number(self) -> int:
        """The digits of the identity as a number below 2^32, for where only numbers are recorded."""
        return int(self.digest[:SHOWN], 16)


Suite = Mapping[str, DomainSuite]

SHOWN = 8
"""Hex digits of a digest that an identity has."""

FEWEST = 6
"""Hex digits that an expected suite must name."""


def domain_suite(
    split: str, tasks: Sequence[Task], settings: Mapping[str, Any] | None = None, name: str = "suite"
) -> DomainSuite:
    """The suite of one domain's tasks. Raises UserError where it is empty or two tasks share an id."""
    if not tasks:
        raise UserError(f"The evaluation's {split} split has no tasks; raise evaluation.tasks_per_domain.")
    repeated = [task_id for task_id, count in Counter(task.task_id for task in tasks).items() if count > 1]
    if repeated:
        raise UserError(
            f"Domain {tasks[0].domain} has {len(repeated)} task ids more than once in its {split} split, such as "
            f"{repeated[0]}; give each task its own id."
        )
    return DomainSuite(split, len(tasks), fingerprint(tasks), dict(settings or {}), name)


def suite_to_json(suite: Suite) -> dict[str, Any]:
    """Plain values for `evaluations/suite.json`."""
    return {
        domain: {"identity": part.identity, **{item.name: getattr(part, item.name) for item in fields(part)}}
        for domain, part in suite.items()
    }


def suite_from_json(values: Mapping[str, Any]) -> dict[str, DomainSuite]:
    """The inverse of `suite_to_json`."""
    known = {item.name for item in fields(DomainSuite)}
    return {
        domain: DomainSuite(**{name: value for name, value in part.items() if name in known})
        for domain, part in values.items()
    }


def check_expected(suite: Suite, expected: Mapping[str, str]) -> None:
    """Raises UserError where the suite of a domain is not the one that is `expected`: domain -> identity or digits."""
    for domain, wanted in expected.items():
        if domain not in suite:
            raise UserError(f"evaluation.expect names {domain}, which is not among the domains: {', '.join(suite)}.")
        part = suite[domain]
        digits = wanted.rpartition("-")[2]
        if len(digits) < FEWEST or not part.digest.startswith(digits):
            raise UserError(
                f"evaluation.expect.{domain}={wanted} is not the suite of this run, {part.identity} ({part.tasks} "
                f"{part.split} tasks); take back what changed it, or expect {part.identity}."
            )


def check_same(reference: Suite, other: Suite, names: tuple[str, str]) -> None:
    """Raises UserError where a domain that both suites have differs, or where they share none.

    `names` are what the two are called in the message.
    """
    shared = [domain for domain in reference if domain in other]
    if not shared:
        raise UserError(
            f"{names[0]} and {names[1]} share no domain ({', '.join(reference)} and {', '.join(other)}); "
            "evaluate both on the same domains."
        )
    for domain in shared:
        difference = _difference(reference[domain], other[domain])
        if difference:
            raise UserError(
                f"{names[0]} and {names[1]} cannot be compared: their evaluations of {domain} differ in "
                f"{difference}; evaluate both again with the same evaluation and domain settings."
            )


def without_sandboxes(node: Any) -> Any:  # noqa: ANN401 - plain values of any shape
    """A verifier's node, and those of its members, without where programs run: that is the machine's affair."""
    if not isinstance(node, Mapping):
        return node
    return {key: without_sandboxes(value) for key, value in node.items() if key != "sandbox"}


def _difference(first: DomainSuite, second: DomainSuite) -> str | None:
    if first.split != second.split:
        return f"the split ({first.split}, {second.split})"
    if first.fingerprint != second.fingerprint:
        return (
            f"the tasks ({first.tasks} with fingerprint {first.fingerprint[:12]}, "
            f"{second.tasks} with {second.fingerprint[:12]})"
        )
    for name in sorted({*first.settings, *second.settings}):
        values = first.settings.get(name), second.settings.get(name)
        if _canonical(values[0]) != _canonical(values[1]):
            return f"{name} ({values[0]}, {values[1]})"
    return None


def _canonical(value: object) -> str:
    return dump_json(value, canonical=True)
