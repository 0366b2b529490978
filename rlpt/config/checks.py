"""Combinations that cannot work, one rule each: a pure function from the resolved config to None or a UserError.

A rule looks only at keys that are there, so that configs of users with nodes of their own pass through.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from omegaconf import DictConfig, ListConfig, OmegaConf

from rlpt.config.algorithm_checks import ALGORITHM
from rlpt.config.tools import check_tools, check_turns
from rlpt.config.values import number, positive
from rlpt.errors import UserError

Check = Callable[[DictConfig], None]


def check_domains(cfg: DictConfig) -> None:
    """At least one domain, each with tokens to answer in."""
    if not _domains(cfg):
        raise UserError("No domain is chosen; name at least one, such as domain=[arithmetic,python_functions].")
    for name, domain in _domains(cfg).items():
        if not isinstance(domain, DictConfig):
            raise UserError(f"domain.{name} has lost its keys; leave it out of domain=[...] instead.")
        positive(cfg, f"domain.{name}.max_new_tokens")
        if (number(cfg, f"domain.{name}.weight") or 0.0) < 0.0:
            raise UserError(f"domain.{name}.weight={domain.weight} is negative; 0 leaves the domain out of training.")


def check_mixture(cfg: DictConfig) -> None:
    """Some domain must give tasks to the steps."""
    weights = [number(cfg, f"domain.{name}.weight") for name in _domains(cfg)]
    if weights and all(weight == 0.0 for weight in weights):
        raise UserError("Every domain.*.weight is 0, so no step has a task; set at least one above 0.")
    positive(cfg, "mixture.tasks_per_step")


def check_sampling_for_training(cfg: DictConfig) -> None:
    """Importance ratios need every token to have been possible, at a temperature above 0."""
    top_p, top_k = number(cfg, "sampler.top_p"), number(cfg, "sampler.top_k")
    if top_p is not None and top_p < 1.0:
        raise UserError(
            f"sampler.top_p={top_p:g} cuts tokens off, which makes the importance ratios of training wrong; "
            "train with sampler.top_p=1 (rlpt eval takes any value)."
        )
    if top_k is not None and top_k > 0:
        raise UserError(
            f"sampler.top_k={top_k:g} cuts tokens off, which makes the importance ratios of training wrong; "
            "train with sampler.top_k=-1 (rlpt eval takes any value)."
        )
    temperature = number(cfg, "sampler.temperature")
    if temperature is not None and temperature <= 0.0:
        raise UserError(
            f"sampler.temperature={temperature:g} makes all samples of a task the same, so nothing can be learned; "
            "train with a temperature above 0, such as sampler.temperature=1."
        )


def check_sampling(cfg: DictConfig) -> None:
    """The sampling distribution must be one."""
    temperature, top_p = number(cfg, "sampler.temperature"), number(cfg, "sampler.top_p")
    if temperature is not None and temperature < 0.0:
        raise UserError(f"sampler.temperature={temperature:g} is negative; 0 takes the likeliest token each time.")
    if temperature is not None and temperature > 2.0:
        raise UserError(f"sampler.temperature={temperature:g} is more than the engine takes; set it to 2 or less.")
    if top_p is not None and not 0.0 < top_p <= 1.0:
        raise UserError(f"sampler.top_p={top_p:g} is no share; it lies above 0 and is at most 1.")
    top_k = number(cfg, "sampler.top_k")
    if top_k is not None and (top_k == 0 or top_k < -1):
        raise UserError(f"sampler.top_k={top_k:g} leaves no token; use -1 for all or a number above 0.")


def check_context_length(cfg: DictConfig) -> None:
    """The model must be made for the context, and a prompt must fit into it beside the longest answer."""
    positive(cfg, "policy.context_length")
    context, longest_context = number(cfg, "policy.context_length"), number(cfg, "policy.max_context_length")
    if context is not None and longest_context is not None and context > longest_context:
        raise UserError(
            f"policy.context_length={context:g} is longer than the {longest_context:g} tokens that the policy was made "
            f"for; write policy.context_length={longest_context:g} or less."
        )
    for name in _domains(cfg):
        longest = number(cfg, f"domain.{name}.max_new_tokens")
        if context is not None and longest is not None and longest >= context:
            raise UserError(
                f"domain.{name}.max_new_tokens={longest:g} leaves no room for a prompt in "
                f"policy.context_length={context:g}; lower the first or raise the second."
            )


def check_ranks(cfg: DictConfig) -> None:
    """Every rank takes the same number of whole groups."""
    for key in ("hardware.devices", "hardware.nodes", "hardware.tokens_per_micro_batch", "hardware.logits_mib"):
        positive(cfg, key)
    if number(cfg, "hardware.threads") is not None:
        positive(cfg, "hardware.threads")
    if (number(cfg, "hardware.nodes") or 1) > 1:
        raise UserError(
            "A run trains on one machine; write hardware.nodes=1. A sweep spreads its runs over machines: -m "
            "hydra/launcher=submitit_slurm."
        )
    tasks, ranks = number(cfg, "mixture.tasks_per_step"), ranks_of(cfg)
    if tasks is None or tasks % ranks == 0:
        return
    fitting = max(round(tasks / ranks), 1) * ranks
    what = "fewer tasks than" if tasks < ranks else "no multiple of"
    raise UserError(
        f"mixture.tasks_per_step={tasks:g} is {what} the {ranks} ranks (hardware.devices * hardware.nodes), which "
        f"share the tasks of a step evenly; write mixture.tasks_per_step={fitting}."
    )


def check_one_rank(cfg: DictConfig) -> None:
    """An evaluation or audit has one engine."""
    if ranks_of(cfg) > 1:
        raise UserError(
            f"This command runs one engine and hardware.devices={ranks_of(cfg)} asks for more; write "
            "hardware.devices=1 or take hardware=cpu or hardware=gpu."
        )


def check_export(cfg: DictConfig) -> None:
    """An exported policy is compared with the engine token by token, which needs one precision."""
    trained, sampled = (OmegaConf.select(cfg, key) for key in ("policy.dtype", "sampler.dtype"))
    if trained is None or sampled is None or trained == sampled:
        return
    if OmegaConf.select(cfg, "serving.export") and OmegaConf.select(cfg, "serving.verify"):
        raise UserError(
            f"sampler.dtype={_word(sampled)} is not policy.dtype={_word(trained)}, so the exported policy cannot be "
            "compared with the engine; leave out sampler.dtype or write serving.verify=false."
        )


def check_optimizer(cfg: DictConfig) -> None:
    """Numbers of the optimizer that cannot train."""
    for node in ("algorithm.optimizer", "sft.optimizer"):
        for key in ("learning_rate", "weight_decay", "warmup_steps"):
            value = number(cfg, f"{node}.{key}")
            if value is not None and value < 0:
                raise UserError(f"{node}.{key}={value:g} is negative; set it to 0 or more.")
        for key in ("eps", "max_grad_norm"):
            positive(cfg, f"{node}.{key}")
        betas = OmegaConf.select(cfg, f"{node}.betas")
        if betas is not None and (len(betas) != 2 or not all(0.0 <= beta < 1.0 for beta in betas)):
            raise UserError(f"{node}.betas={list(betas)} must be two numbers, each 0 or more and below 1.")


def check_budget(cfg: DictConfig) -> None:
    """A run that ends after its first step at the earliest, and checkpoints on the way."""
    for key in ("budget.steps", "budget.wall_s", "budget.tokens", "checkpoint.every", "checkpoint.keep"):
        if OmegaConf.select(cfg, key) is not None:
            positive(cfg, key)


def check_fine_tuning(cfg: DictConfig) -> None:
    """Sizes of supervised fine-tuning."""
    for key in ("sft.steps", "sft.batch_size", "sft.tasks_per_domain"):
        positive(cfg, key)


def _check_gate(cfg: DictConfig) -> None:
    """Numbers of a gate that can decide, and a rollback that has somewhere to go back to."""
    for key in ("false_alarms", "detects", "power"):
        value = number(cfg, f"evaluation.{key}")
        if value is not None and not 0.0 < value < 1.0:
            raise UserError(f"evaluation.{key}={value:g} is no share; it lies between 0 and 1.")
    detects = number(cfg, "evaluation.detects")
    tolerances = OmegaConf.select(cfg, "evaluation.tolerances") or {}
    for key in ("tolerance", *(f"tolerances.{name}" for name in tolerances)):
        value = number(cfg, f"evaluation.{key}")
        if value is not None and detects is not None and not 0.0 <= value < detects:
            raise UserError(
                f"evaluation.{key}={value:g} must be 0 or more and below evaluation.detects={detects:g}, the loss that "
                "should be found."
            )
    unknown = [name for name in tolerances if name not in _domains(cfg)]
    if unknown:
        raise UserError(f"evaluation.tolerances names {unknown[0]}, which is not among the chosen domains.")
    for key, most in (("most", None), ("learning_rate", 1.0), ("share", 1.0)):
        value = number(cfg, f"evaluation.rollback.{key}")
        if value is not None and (value < 0 or (most is not None and value > most)):
            bounds = "0 or more" if most is None else "between 0 and 1"
            raise UserError(f"evaluation.rollback.{key}={value:g} must be {bounds}.")
    acts = OmegaConf.select(cfg, "evaluation.on_regression") in ("stop", "rollback")
    start = OmegaConf.select(cfg, "evaluation.reference") == "start"
    if acts and start and OmegaConf.select(cfg, "evaluation.before") is False:
        raise UserError(
            "evaluation.on_regression compares with the evaluation before training, but evaluation.before=false; write "
            "evaluation.before=true, or name another evaluation.reference."
        )


def _check_greedy(cfg: DictConfig) -> None:
    """Without chance all answers to a task are one."""
    samples = number(cfg, "evaluation.samples_per_task")
    if samples is None or samples <= 1:
        return
    cold = number(cfg, "sampler.temperature") == 0.0
    if OmegaConf.select(cfg, "evaluation.greedy") or cold:
        why = "sampler.temperature=0" if cold else "evaluation.greedy=true"
        raise UserError(
            f"{why} gives the same answer each time and evaluation.samples_per_task={samples:g} asks for several; "
            "write evaluation.samples_per_task=1."
        )


def check_evaluation(cfg: DictConfig) -> None:
    """A suite that every domain can fill."""
    for key in ("tasks_per_domain", "samples_per_task"):
        positive(cfg, f"evaluation.{key}")
    probed = number(cfg, "evaluation.probe.groups")
    if probed is not None and probed < 2:
        raise UserError(f"evaluation.probe.groups={probed:g} cannot tell a gradient from chance; set 2 or more.")
    positive(cfg, "evaluation.probe.tokens")
    every, confidence = number(cfg, "evaluation.every"), number(cfg, "evaluation.confidence")
    if every is not None and every < 0:
        raise UserError(f"evaluation.every={every:g} is negative; 0 evaluates before and after training only.")
    if confidence is not None and not 0.0 < confidence < 1.0:
        raise UserError(f"evaluation.confidence={confidence:g} is no share; it lies between 0 and 1, such as 0.95.")
    _check_greedy(cfg)
    _check_gate(cfg)
    wanted, split = number(cfg, "evaluation.tasks_per_domain"), OmegaConf.select(cfg, "evaluation.split")
    for name in _domains(cfg):
        there = number(cfg, f"domain.{name}.{split}_tasks")
        if wanted is not None and there is not None and wanted > there:
            raise UserError(
                f"evaluation.tasks_per_domain={wanted:g} is more than domain.{name}.{split}_tasks={there:g}; "
                "lower the first or raise the second."
            )


def check_audit(cfg: DictConfig) -> None:
    """Sizes of a domain's audit."""
    for key in ("tasks", "mutants", "samples"):
        positive(cfg, key)
    near, group_size = number(cfg, "near"), number(cfg, "group_size")
    if near is not None and not 0.0 < near <= 1.0:
        raise UserError(f"near={near:g} is no similarity; it lies above 0 and is at most 1, such as near=0.75.")
    samples = number(cfg, "samples")
    if samples is not None and samples < 2:
        raise UserError(f"samples={samples:g} says nothing about how hard a task is; set it to 2 or more, such as 8.")
    if group_size is not None and group_size < 2:
        raise UserError(f"group_size={group_size:g} leaves nothing to compare an answer with; set it to 2 or more.")


def check_verification(cfg: DictConfig) -> None:
    """Limits under which a verdict can be given."""
    for key in ("verification.workers", "verification.timeout_s", "verification.memory_mb"):
        if OmegaConf.select(cfg, key) is not None:
            positive(cfg, key)
    timeout_s = number(cfg, "verification.timeout_s")
    for name in _domains(cfg):
        wall_s = max(_sandbox_limits(OmegaConf.select(cfg, f"domain.{name}.verifier")), default=0.0)
        if timeout_s is not None and wall_s >= timeout_s:
            raise UserError(
                f"verification.timeout_s={timeout_s:g} ends before a program's own limit, sandbox.limits.wall_s="
                f"{wall_s:g}, so endless programs would go unscored; write verification.timeout_s={2 * wall_s:g}."
            )


def check_finite(cfg: DictConfig) -> None:
    """No number is infinite or none at all: comparisons would let it pass everywhere else."""
    for key, value in _leaves(cfg, ""):
        if isinstance(value, float) and not math.isfinite(value):
            raise UserError(f"{key}={value:g} is no number to compute with; set it to a finite one.")


def _leaves(node: Any, key: str) -> Iterator[tuple[str, object]]:  # noqa: ANN401 - any value of a config
    if isinstance(node, DictConfig):
        for name in node:
            if not OmegaConf.is_missing(node, name):
                yield from _leaves(node[name], f"{key}.{name!s}" if key else str(name))
    elif isinstance(node, ListConfig):
        for place, value in enumerate(node):
            yield from _leaves(value, f"{key}.{place}")
    else:
        yield key, node


TRAIN: Sequence[Check] = (
    check_domains,
    check_finite,
    check_tools,
    check_turns,
    check_mixture,
    *ALGORITHM,
    check_sampling,
    check_sampling_for_training,
    check_context_length,
    check_ranks,
    check_optimizer,
    check_budget,
    check_evaluation,
    check_verification,
    check_export,
)
EVAL: Sequence[Check] = (
    check_domains,
    check_finite,
    check_tools,
    check_turns,
    check_sampling,
    check_context_length,
    check_ranks,
    check_one_rank,
    check_evaluation,
    check_verification,
)
AUDIT_DOMAIN: Sequence[Check] = (
    check_domains,
    check_tools,
    check_turns,
    check_audit,
    check_sampling,
    check_context_length,
    check_ranks,
    check_one_rank,
    check_verification,
)
SFT: Sequence[Check] = (
    check_domains,
    check_tools,
    check_context_length,
    check_ranks,
    check_optimizer,
    check_fine_tuning,
)


def ranks_of(cfg: DictConfig) -> int:
    """Processes that train together."""
    devices, nodes = number(cfg, "hardware.devices"), number(cfg, "hardware.nodes")
    return int(devices or 1) * int(nodes or 1)


def _domains(cfg: DictConfig) -> dict[str, Any]:
    domains = OmegaConf.select(cfg, "domain")
    return {str(name): domains[name] for name in domains} if isinstance(domains, DictConfig) else {}


def _sandbox_limits(node: object) -> list[float]:
    """The time limits of a verifier's sandbox and of its members' ones."""
    if not isinstance(node, DictConfig):
        return []
    own = number(node, "sandbox.limits.wall_s")
    inner = [limit for key in node if not OmegaConf.is_missing(node, key) for limit in _sandbox_limits(node[key])]
    return inner if own is None else [own, *inner]


def _word(value: object) -> str:
    return str(getattr(value, "value", value))
