"""The policy as a module: a Hugging Face causal LM that answers with log-probabilities of packed action tokens."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn

from rlpt.errors import UserError
from rlpt.policy.activations import Activations, kept_on_cpu, recompute, transformer_layers
from rlpt.policy.attention import attend_in_blocks
from rlpt.policy.head import has_linear_head
from rlpt.policy.logprobs import Entropy, logprobs_of_logits, token_logprobs
from rlpt.policy.packed_forward import hidden_states, row_of
from rlpt.policy.packing import PackedBatch

if TYPE_CHECKING:
    from transformers import PreTrainedModel

DTYPES = {"float32": torch.float32, "bfloat16": torch.bfloat16}


class PolicyNetwork(nn.Module):
    """Weights in fp32, computation in `dtype`, log-probabilities at the sampling temperature in fp32."""

    def __init__(
        self,
        model: PreTrainedModel,
        dtype: str,
        temperature: float,
        activations: Activations = "keep",
        logits_mib: int = 64,
    ) -> None:
        """`activations`: see `rlpt.policy.activations`; `logits_mib`: size of the logits that are held at once."""
        super().__init__()
        self.model = model
        self.dtype = DTYPES[dtype]
        self.temperature = temperature
        self.logits_bytes = logits_mib << 20
        self.offload = activations == "offload"
        self.linear_head = has_linear_head(model)
        self.in_blocks = attend_in_blocks(model)
        if activations != "keep":
            recompute(transformer_layers(model))

    def forward(self, batch: PackedBatch, entropy: Entropy = "value") -> tuple[Tensor, Tensor | None]:
        """Return log-probabilities `[K]` of the action tokens and entropies `[K]`, the latter as `entropy` asks."""
        device = batch.input_ids.device
        mixed = torch.autocast(device.type, self.dtype, enabled=self.dtype != torch.float32)
        with mixed, kept_on_cpu(self.offload, device):
            if self.linear_head:
                hidden = hidden_states(self.model, batch, self.in_blocks)
            else:
                row = row_of(batch, self.in_blocks)
                logits = self.model(**row, logits_to_keep=batch.logit_index).logits[0]
        if not self.linear_head:
            return logprobs_of_logits(logits, batch.targets, self.temperature, entropy)
        hidden = hidden[batch.logit_index].to(self.dtype)
        head = self.model.get_output_embeddings()
        return token_logprobs(
            hidden, head.weight, head.bias, batch.targets, self.temperature, entropy, self.logits_bytes
        )


def load_network(
    folder: Path,
    dtype: str,
    temperature: float,
    context_length: int,
    activations: Activations = "keep",
    logits_mib: int = 64,
) -> PolicyNetwork:
    """Load the model in `folder` in fp32; `activations` and `logits_mib` as in the group `hardware`.

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
    return PolicyNetwork(model, dtype, temperature, activations, logits_mib)


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
