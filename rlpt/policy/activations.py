"""What the backward pass needs of the forward pass: kept, computed again layer by layer, or kept in CPU memory."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from typing import TYPE_CHECKING, Literal

import torch
from torch import nn
from torch.autograd.graph import save_on_cpu
from torch.utils.checkpoint import checkpoint

from rlpt.errors import UserError

if TYPE_CHECKING:
    from transformers import PreTrainedModel

Activations = Literal["keep", "recompute", "offload"]
"""keep everything; keep each layer's input and compute the layer again (one forward pass more); the same with the
inputs in CPU memory, which frees a GPU of all but one layer's activations."""


def transformer_layers(model: PreTrainedModel) -> list[nn.Module]:
    """The model's layers, from its own list of modules that must stay whole."""
    names = set(getattr(model, "_no_split_modules", None) or ())
    return [module for module in model.modules() if type(module).__name__ in names]


def recompute(layers: Sequence[nn.Module]) -> None:
    """Let each layer keep its input only, and compute itself again in the backward pass.

    The call inside the module is replaced, and not the module, so that names of weights and hooks (FSDP2's, which
    gather the weights before it) stay as they are.

    Raises:
        UserError: where the model's code names no layers.
    """
    if not layers:
        raise UserError("This model's code names no layers to recompute; write hardware.activations=keep.")
    for layer in layers:
        layer.forward = partial(checkpoint, layer.forward, use_reentrant=False)


def kept_on_cpu(offload: bool, device: torch.device) -> AbstractContextManager[object]:
    """A context in which what is kept for the backward pass goes to CPU memory where `offload` is set."""
    return save_on_cpu(pin_memory=device.type == "cuda") if offload else nullcontext()
