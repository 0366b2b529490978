"""The policy as a module: a Hugging Face causal LM that answers with log-probabilities of packed action tokens."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn
from torch.distributed.device_mesh import DeviceMesh
from torch.distributed.fsdp import FSDPModule, fully_shard

from rlpt.errors import UserError
from rlpt.policy.attention import attend_in_blocks
from rlpt.policy.packing import PackedBatch

if TYPE_CHECKING:
    from transformers import PreTrainedModel

DTYPES = {"float32": torch.float32, "bfloat16": torch.bfloat16}


class PolicyNetwork(nn.Module):
    """Weights in fp32, computation in `dtype`, log-probabilities at the sampling temperature in fp32."""

    def __init__(self, model: PreTrainedModel, dtype: str, temperature: float) -> None:
        super().__init__()
        self.model = model
        self.dtype = DTYPES[dtype]
        self.temperature = temperature
        self.in_blocks = attend_in_blocks(model)

    def forward(self, batch: PackedBatch) -> tuple[Tensor, Tensor]:
        """Return log-probabilities `[K]` and entropies `[K]` (the latter without gradient) of the action tokens."""
        blocks = {"block_lengths": batch.block_lengths} if self.in_blocks else {}
        with torch.autocast(batch.input_ids.device.type, self.dtype, enabled=self.dtype != torch.float32):
            logits = self.model(
                input_ids=batch.input_ids[None],
                position_ids=batch.position_ids[None],
                attention_mask=batch.mask[None, None],
                logits_to_keep=batch.logit_index,
                use_cache=False,
                **blocks,
            ).logits[0]
        logits = logits.float() / self.temperature
        normalizer = logits.logsumexp(-1)
        logprobs = logits.gather(-1, batch.targets[:, None]).squeeze(-1) - normalizer
        with torch.no_grad():
            entropy = normalizer - (logits.softmax(-1) * logits).sum(-1)
        return logprobs, entropy

    def hold_gradients(self, last: bool) -> None:
        """Under FSDP2: keep gradients and gathered weights on the rank until the last micro-batch of an update."""
        if isinstance(self, FSDPModule):
            self.set_requires_gradient_sync(last)
            self.set_reshard_after_backward(last)


def load_network(folder: Path, dtype: str, temperature: float, context_length: int) -> PolicyNetwork:
    """Load the model in `folder` in fp32.

    Raises:
        UserError: where the folder's weights cannot be read, or the model attends to less than `context_length`.
    """
    from transformers import AutoModelForCausalLM
    from transformers.utils import logging as transformers_logging

    _check_context(folder, context_length)
    transformers_logging.disable_progress_bar()
    try:
        model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32, attn_implementation="sdpa")
    except (OSError, ValueError, KeyError, RuntimeError) as error:
        raise UserError(f"The model in {folder} cannot be loaded ({error}); name another folder.") from error
    return PolicyNetwork(model, dtype, temperature)


def _check_context(folder: Path, context_length: int) -> None:
    config = json.loads((folder / "config.json").read_text())
    longest = config.get("max_position_embeddings")
    if longest is not None and context_length > longest:
        raise UserError(
            f"policy.context_length={context_length} is longer than the model's {longest}; lower policy.context_length."
        )
    window = config.get("sliding_window")
    if window is not None and config.get("use_sliding_window", True) and context_length > window:
        raise UserError(
            f"The model attends to a window of {window} tokens only and packed rows need the full "
            f"policy.context_length={context_length}; lower policy.context_length to {window}."
        )


def shard(network: PolicyNetwork, mesh: DeviceMesh) -> None:
    """Apply FSDP2 to every transformer block, then to the rest.

    Parameters stay gathered between the micro-batches of an update; the trainer frees them after it. Gradients are
    summed over ranks, not averaged: the loss weights are global already.
    """
    blocks = set(getattr(network.model, "_no_split_modules", None) or ())
    for module in network.modules():
        if type(module).__name__ in blocks:
            fully_shard(module, mesh=mesh, reshard_after_forward=False)
    fully_shard(network, mesh=mesh, reshard_after_forward=False)
    for module in network.modules():
        if isinstance(module, FSDPModule):
            module.set_gradient_divide_factor(1.0)
            # gloo knows plain sums only.
            module.set_force_sum_reduction_for_comms(True)


def full_weights(network: PolicyNetwork, dtype: torch.dtype) -> dict[str, Tensor]:
    """Return every weight under the Hugging Face name, gathered from all ranks, on the CPU, in `dtype`.

    All ranks must call this together. Tied weights appear once.
    """
    from torch.distributed.tensor import DTensor

    weights = {}
    for name, parameter in network.model.named_parameters():
        value = parameter.detach()
        whole = value.full_tensor() if isinstance(value, DTensor) else value
        weights[name] = whole.to("cpu", dtype).contiguous()
    return weights
