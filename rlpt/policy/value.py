"""The critic as a module: the policy's transformer with one output, the value of the state before each action token."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from rlpt.policy.activations import kept_on_cpu
from rlpt.policy.network import PolicyNetwork
from rlpt.policy.packed_forward import hidden_states
from rlpt.policy.packing import PackedBatch


class ValueNetwork(nn.Module):
    """Starts from a policy's weights and a value of 0 everywhere. Weights in fp32, computation as the policy's."""

    def __init__(self, network: PolicyNetwork) -> None:
        """`network` is used up: its output layer gives way to the value."""
        super().__init__()
        self.model = network.model
        self.dtype = network.dtype
        self.offload = network.offload
        self.in_blocks = network.in_blocks
        self.head = nn.Linear(self.model.config.get_text_config().hidden_size, 1)
        nn.init.zeros_(self.head.weight)
        nn.init.zeros_(self.head.bias)
        self.model.set_output_embeddings(nn.Identity())

    def forward(self, batch: PackedBatch) -> Tensor:
        """Return the values `[K]` (fp32) of the states in which the action tokens were chosen."""
        device = batch.input_ids.device
        mixed = torch.autocast(device.type, self.dtype, enabled=self.dtype != torch.float32)
        with mixed, kept_on_cpu(self.offload, device):
            hidden = hidden_states(self.model, batch, self.in_blocks)
        values: Tensor = self.head(hidden[batch.logit_index].float()).squeeze(-1)
        return values
