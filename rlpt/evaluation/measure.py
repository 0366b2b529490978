"""Running a suite: every task of it sampled and scored, over all ranks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from omegaconf import DictConfig

from rlpt.actors import Actors
from rlpt.assembly import plain
from rlpt.collectives import share, unshare
from rlpt.domains.protocol import Domain
from rlpt.errors import UserError
from rlpt.evaluation.sample import Sample, samples_of
from rlpt.evaluation.suite import DomainSuite, domain_suite
from rlpt.records import Task
from rlpt.verifiers.protocol import Scorer
from rlpt.verifiers.validate import validate

Tasks = Mapping[str, Sequence[Task]]
"""The fixed tasks of each domain that evaluations are made of."""


def suite_tasks(cfg: DictConfig, domains: Mapping[str, Domain]) -> dict[str, list[Task]]:
    """The first `evaluation.tasks_per_domain` tasks of each domain's split."""
    wanted = cfg.evaluation
    return {name: list(domain.load(wanted.split)[: wanted.tasks_per_domain]) for name, domain in domains.items()}


def check_demonstrations(pool: Scorer, domains: Mapping[str, Domain], tasks: Tasks, max_failing_share: float) -> None:
    """Every domain's own answers to these tasks must pass its verifier, but for `max_failing_share` of them.

    Raises:
        UserError: naming tasks whose answers do not: their rewards could not be trusted.
    """
    if max_failing_share >= 1.0:
        return
    for name, own in tasks.items():
        failures = validate(name, own, [domains[name].demonstration(task) for task in own], pool)
        if len(failures) > max_failing_share * len(own):
            raise UserError(
                f"The verifier of domain {name} refuses the domain's own answer to {len(failures)} of {len(own)} tasks "
                f"({failures[0]}); mend the domain, choose another verifier, or raise verification.max_failing_share."
            )


def describe_suite(cfg: DictConfig, tasks: Tasks) -> dict[str, DomainSuite]:
    """What the suite consists of, with fingerprints: results of different suites are never compared."""
    sampling = {name: cfg.sampler[name] for name in ("temperature", "top_p", "top_k")}
    return {
        name: domain_suite(
            cfg.evaluation.split,
            own,
            {
                **sampling,
                "samples_per_task": cfg.evaluation.samples_per_task,
                "max_new_tokens": cfg.domain[name].max_new_tokens,
                "verifier": _without_sandboxes(plain(cfg.domain[name].verifier)),
            },
        )
        for name, own in tasks.items()
    }


def _without_sandboxes(node: Any) -> Any:  # noqa: ANN401 - plain values of any shape
    """A verifier's node, and those of its members, without where programs run: that is the machine's affair."""
    if not isinstance(node, Mapping):
        return node
    return {key: _without_sandboxes(value) for key, value in node.items() if key != "sandbox"}


def measure(actors: Actors, tasks: Tasks, samples_per_task: int, seed: int) -> list[Sample]:
    """Sample and score the whole suite. All ranks must call this together; all get all samples, in suite order."""
    named = [(f"eval/{domain}/{task.task_id}", task) for domain, own in tasks.items() for task in own]
    groups = actors.score(actors.roll_out(share(named), samples_per_task, seed))
    return samples_of(unshare(groups))
