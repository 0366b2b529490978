"""How much memory a run takes at its peak, which is in the backward pass of an update's last micro-batch.

Sources: mixed-precision Adam, Rajbhandari et al., "ZeRO", arXiv:1910.02054, section 3.1 (weights, gradients and two
moments in 4 bytes each here, because weights and gradients stay in fp32); activations, Korthikanti et al., "Reducing
Activation Recomputation in Large Transformer Models", arXiv:2205.05198, sections 4 and 5, without the
attention-matrix term (packed attention does not keep the matrix).
"""

from __future__ import annotations

from dataclasses import dataclass

from rlpt.budget.shape import ModelShape

BYTES = {"bfloat16": 2, "float16": 2, "float32": 4}

PROGRAM_BYTES = 1.2e9
"""A trainer and an engine on a CPU before they hold any weight: their libraries, measured."""


@dataclass(frozen=True, slots=True)
class Placement:
    """What a run computes on. `memory_bytes` is what the ranks of one pool share.

    On GPUs a pool is one device, with one rank. On CPUs (`on_cpu`) it is the machine, with all its ranks; each holds an
    engine. `shards` is the number of ranks that the trainer's weights, gradients and moments are split over.
    `activations` and `logits_mib` are those of the group `hardware`; `reference`: whether there is a KL term; `critic`:
    whether a value network is trained beside the policy.
    """

    dtype: str
    ranks_per_pool: int
    shards: int
    tokens_per_micro_batch: int
    kv_cache_gib: float
    memory_bytes: int
    on_cpu: bool = True
    activations: str = "keep"
    logits_mib: int = 64
    reference: bool = False
    critic: bool = False


def memory_parts(model: ModelShape, placement: Placement) -> dict[str, float]:
    """Bytes by part, of one pool."""
    ranks, width = placement.ranks_per_pool, BYTES[placement.dtype]
    whole = 4.0 * model.parameters * ranks
    sharded = whole / placement.shards
    # Under autocast a copy of the weights in the computation's type lives while they are used.
    cast = float(width * model.parameters * ranks) if width < 4 else 0.0
    logits = min(placement.logits_mib << 20, 4 * placement.tokens_per_micro_batch * model.vocabulary)
    parts = {
        "weights": sharded + cast,
        # FSDP2 gathers the weights into a copy, also on one rank, and frees it after the update.
        "gathered weights": whole,
        # Whole on each rank until the last micro-batch has been added.
        "gradients": whole,
        "optimizer": 2 * sharded,
        "activations": float(placement.tokens_per_micro_batch * _per_token(model, placement, width) * ranks),
        # The logits of some tokens and their gradient.
        "logits": 2.0 * logits * ranks,
        "engine": float(width * model.parameters * ranks),
        "kv cache": placement.kv_cache_gib * (1 << 30) * ranks,
    }
    if placement.on_cpu:
        # The last weights lie in a file in memory, for an engine that has to be started again.
        parts |= {"weights for the engine": float(width * model.parameters), "programs": PROGRAM_BYTES * ranks}
        if placement.reference:
            # On a GPU it is there only before the first update, when there are no gradients yet.
            parts["reference"] = sharded
    if placement.critic:
        # Gathered and with gradients only where the policy is neither.
        parts["critic"] = 3 * sharded
    return parts


def _per_token(model: ModelShape, placement: Placement, width: int) -> float:
    """Bytes kept for the backward pass of one token."""
    # Of one layer: about 10 hidden-wide and 3 MLP-wide values.
    layer = width * (10 * model.hidden + 3 * model.intermediate)
    if placement.activations == "keep":
        return float(model.layers * layer)
    inputs = 4.0 * model.layers * model.hidden
    away = placement.activations == "offload" and not placement.on_cpu
    return layer if away else layer + inputs
