"""Running a suite: every task of it sampled and scored, over all ranks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from omegaconf import DictConfig

from rlpt.actors import Actors
from rlpt.assembly import plain
from rlpt.collectives import share, unshare
from rlpt.domains.protocol import Domain, load_tasks
from rlpt.evaluation.sample import Sample, samples_of
from rlpt.evaluation.suite import DomainSuite, domain_suite, without_sandboxes
from rlpt.records import Task

Tasks = Mapping[str, Sequence[Task]]
"""The fixed tasks of each domain that evaluations are made of."""


def suite_tasks(cfg: DictConfig, domains: Mapping[str, Domain]) -> dict[str, list[Task]]:
    """The first `evaluation.tasks_per_domain` tasks of each domain's split."""
    wanted = cfg.evaluation
    return {name: load_tasks(name, domain, wanted.split)[: wanted.tasks_per_domain] for name, domain in domains.items()}


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
                "verifier": without_sandboxes(plain(cfg.domain[name].verifier)),
                **_tools(cfg.domain[name]),
            },
        )
        for name, own in tasks.items()
    }


def _tools(node: DictConfig) -> dict[str, Any]:
    """What a domain with tools is measured with besides; nothing for others, whose fingerprints stay as they were."""
    return {"tools": list(node.tools), "max_turns": node.max_turns} if node.get("tools") else {}


def measure(actors: Actors, tasks: Tasks, samples_per_task: int, seed: int) -> list[Sample]:
    """Sample and score the whole suite. All ranks must call this together; all get all samples, in suite order."""
    named = [(f"eval/{domain}/{task.task_id}", task) for domain, own in tasks.items() for task in own]
    groups = actors.score(actors.roll_out(share(named), samples_per_task, seed))
    return samples_of(unshare(groups))
