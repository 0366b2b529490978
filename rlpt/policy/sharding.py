"""FSDP2 on the networks of a run: sharded over ranks, gathered for the micro-batches of an update."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.distributed.device_mesh import DeviceMesh
from torch.distributed.fsdp import FSDPModule, fully_shard

from rlpt.policy.activations import transformer_layers
from rlpt.policy.network import PolicyNetwork
from rlpt.policy.value import ValueNetwork


def shard(network: PolicyNetwork | ValueNetwork, mesh: DeviceMesh) -> None:
    """Apply FSDP2 to every transformer block, then to the rest.

    Parameters stay gathered between the micro-batches of an update; the trainer frees them after it. Gradients are
    summed over ranks, not averaged: the loss weights are global already.
    """
    for layer in transformer_layers(network.model):
        fully_shard(layer, mesh=mesh, reshard_after_forward=False)
    fully_shard(network, mesh=mesh, reshard_after_forward=False)
    for module in network.modules():
        if isinstance(module, FSDPModule):
            module.set_gradient_divide_factor(1.0)
            # gloo knows plain sums only.
            module.set_force_sum_reduction_for_comms(True)


def hold_gradients(network: nn.Module, last: bool) -> None:
    """Keep gradients and gathered weights on the rank until the last micro-batch of an update."""
    if isinstance(network, FSDPModule):
        network.set_requires_gradient_sync(last)
        network.set_reshard_after_backward(last)


def free_gathered(network: nn.Module) -> None:
    """Give the memory of gathered weights back after a forward pass that no backward pass follows."""
    for module in network.modules():
        if isinstance(module, FSDPModule):
            module.reshard()


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
