"""Running a suite: every task of it sampled and scored, over all ranks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from omegaconf import DictConfig

from rlpt.actors import Actors
from rlpt.assembly import plain
from rlpt.collectives import share, unshare
from rlpt.domains.protocol import Domain, load_tasks
from rlpt.evaluation.sample import Sample, samples_of
from rlpt.evaluation.suite import DomainSuite, check_expected, domain_suite, without_sandboxes
from rlpt.records import Group, Task
from rlpt.samplers.rollouts import go_on

Tasks = Mapping[str, Sequence[Task]]
"""The fixed tasks of each domain that evaluations are made of."""


def suite_tasks(cfg: DictConfig, domains: Mapping[str, Domain]) -> dict[str, list[Task]]:
    """The first `evaluation.tasks_per_domain` tasks of each domain's split."""
    wanted = cfg.evaluation
    return {name: load_tasks(name, domain, wanted.split)[: wanted.tasks_per_domain] for name, domain in domains.items()}


def describe_suite(cfg: DictConfig, tasks: Tasks) -> dict[str, DomainSuite]:
    """What the suite consists of, with fingerprints: results of different suites are never compared.

    Raises UserError where it is not the one that `evaluation.expect` names.
    """
    sampling = {name: cfg.sampler[name] for name in ("temperature", "top_p", "top_k")}
    if is_greedy(cfg):
        sampling = {"temperature": 0.0, "top_p": 1.0, "top_k": -1}  # the other two then change nothing
    suite = {
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
            cfg.evaluation.suite,
        )
        for name, own in tasks.items()
    }
    check_expected(suite, cfg.evaluation.expect)
    return suite


def _tools(node: DictConfig) -> dict[str, Any]:
    """What a domain with tools is measured with besides; nothing for others, whose fingerprints stay as they were."""
    return {"tools": list(node.tools), "max_turns": node.max_turns} if node.get("tools") else {}


def is_greedy(cfg: DictConfig) -> bool:
    """Whether evaluations are without chance."""
    return bool(cfg.evaluation.greedy) or cfg.sampler.temperature == 0.0


def measure(actors: Actors, tasks: Tasks, samples_per_task: int, seed: int, greedy: bool = False) -> list[Sample]:
    """Sample and score the whole suite. All ranks must call this together; all get all samples, in suite order.

    `greedy`: one answer without chance for each task, whatever the sampler's temperature.
    """
    named = [(f"eval/{domain}/{task.task_id}", task) for domain, own in tasks.items() for task in own]
    if greedy:
        opened = actors.open(share(named), 0, greedy=True)
        go_on(actors.sampler, opened, seed)
        groups = [_the_greedy(group) for group in actors.score(actors.close(opened))]
    else:
        groups = actors.score(actors.roll_out(share(named), samples_per_task, seed))
    return samples_of(unshare(groups))


def _the_greedy(group: Group) -> Group:
    """The group with its answer without chance as its only one."""
    assert group.greedy is not None
    assert group.greedy_verdict is not None
    rollout = replace(group.greedy, index=0)
    return Group(group.group_id, group.task, [rollout], [group.greedy_verdict])
