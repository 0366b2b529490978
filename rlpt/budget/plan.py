"""The plan of a run: what it will need at most, estimated before anything heavy starts.

Memory is that of `rlpt.budget.memory`; compute, Kaplan et al., arXiv:2001.08361, section 2.1: 2 operations for each
parameter and token forward, 6 forward and backward.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from rlpt.budget.memory import Placement, memory_parts
from rlpt.budget.shape import ModelShape
from rlpt.errors import UserError

GIB = 1 << 30


@dataclass(frozen=True, slots=True)
class Work:
    """What a run will do. `prompt_tokens` and `new_tokens` are per sample: an average, and the limit.

    `evaluation_samples` counts the samples of all evaluations together. `looks`: forward passes over what is trained
    on before it is, each by a network of the policy's size. `critic`: whether a second network is trained beside.
    """

    steps: int
    tasks_per_step: int
    group_size: int
    prompt_tokens: float
    new_tokens: float
    evaluation_samples: int = 0
    looks: int = 0
    critic: bool = False


@dataclass(frozen=True, slots=True)
class Plan:
    """Memory in bytes by part, of one pool; tokens and operations of the whole run, at most."""

    parameters: int
    memory: Mapping[str, float]
    memory_limit: int
    sampled_tokens: int
    trained_tokens: int
    flops: float

    @property
    def memory_bytes(self) -> float:
        """All parts together."""
        return sum(self.memory.values())


def make_plan(model: ModelShape, work: Work, placement: Placement) -> Plan:
    """Estimate a run. Pure: everything it depends on is given."""
    sampled, trained = _tokens(work)
    processed = sampled + _prompt_tokens_sampled(work)
    return Plan(
        parameters=model.parameters,
        memory=memory_parts(model, placement),
        memory_limit=placement.memory_bytes,
        sampled_tokens=round(sampled),
        trained_tokens=round(trained),
        flops=model.parameters * (2 * (processed + work.looks * trained) + 6 * trained * (1 + work.critic)),
    )


def check_plan(plan: Plan) -> None:
    """Raises UserError where the estimate needs more memory than there is."""
    if plan.memory_bytes > plan.memory_limit:
        largest = max(plan.memory, key=lambda part: plan.memory[part])
        advice = {
            "activations": "lower hardware.tokens_per_micro_batch or write hardware.activations=recompute",
            "logits": "lower hardware.logits_mib",
            "kv cache": "lower sampler.kv_cache_gib",
        }.get(largest, "take a smaller policy or more devices (hardware=)")
        raise UserError(
            f"This run needs about {plan.memory_bytes / GIB:.1f} GiB of memory and there are "
            f"{plan.memory_limit / GIB:.1f} ({_parts(plan)}); {advice}."
        )


def format_plan(plan: Plan) -> str:
    """One line for a person."""
    return (
        f"plan: {_count(plan.parameters)} parameters; memory about {plan.memory_bytes / GIB:.1f} of "
        f"{plan.memory_limit / GIB:.1f} GiB ({_parts(plan)}); at most {_count(plan.sampled_tokens)} tokens sampled and "
        f"{_count(plan.trained_tokens)} trained on; {plan.flops:.1e} operations"
    )


def _tokens(work: Work) -> tuple[float, float]:
    """Tokens sampled, and trained on. A group's prompt is trained through once for the group."""
    groups = work.steps * work.tasks_per_step
    sampled = (groups * work.group_size + work.evaluation_samples) * work.new_tokens
    trained = groups * (work.prompt_tokens + work.group_size * work.new_tokens)
    return sampled, trained


def _prompt_tokens_sampled(work: Work) -> float:
    # The engine computes the prompt of a group once and shares it among the samples.
    return (work.steps * work.tasks_per_step + work.evaluation_samples) * work.prompt_tokens


def _parts(plan: Plan) -> str:
    return ", ".join(f"{name} {value / GIB:.1f}" for name, value in plan.memory.items())


def _count(value: float) -> str:
    for unit, size in (("T", 1e12), ("B", 1e9), ("M", 1e6), ("k", 1e3)):
        if value >= size:
            return f"{value / size:.3g}{unit}"
    return f"{value:.0f}"
