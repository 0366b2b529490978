"""What an evaluation is made of, by domain, with a fingerprint: only evaluations of the same suite are compared."""

from __future__ import annotations

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

    `settings` is what changes the meaning of a result beside the tasks: temperature, new tokens, the verifier.
    """

    split: str
    tasks: int
    fingerprint: str
    settings: Mapping[str, Any] = field(default_factory=dict)


Suite = Mapping[str, DomainSuite]


def domain_suite(split: str, tasks: Sequence[Task], settings: Mapping[str, Any] | None = None) -> DomainSuite:
    """The suite of one domain's tasks. Raises UserError where it is empty or two tasks share an id."""
    if not tasks:
        raise UserError(f"The evaluation's {split} split has no tasks; raise evaluation.tasks_per_domain.")
    repeated = [task_id for task_id, count in Counter(task.task_id for task in tasks).items() if count > 1]
    if repeated:
        raise UserError(
            f"Domain {tasks[0].domain} has {len(repeated)} task ids more than once in its {split} split, such as "
            f"{repeated[0]}; give each task its own id."
        )
    return DomainSuite(split, len(tasks), fingerprint(tasks), dict(settings or {}))


def suite_to_json(suite: Suite) -> dict[str, Any]:
    """Plain values for `evaluations/suite.json`."""
    return {domain: {item.name: getattr(part, item.name) for item in fields(part)} for domain, part in suite.items()}


def suite_from_json(values: Mapping[str, Any]) -> dict[str, DomainSuite]:
    """The inverse of `suite_to_json`."""
    return {domain: DomainSuite(**part) for domain, part in values.items()}


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
