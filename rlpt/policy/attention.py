"""Attention over a packed row: block by block, because nothing outside its block may be seen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn

if TYPE_CHECKING:
    from transformers import PreTrainedModel

NAME = "rlpt_blocks"


def attend_in_blocks(model: PreTrainedModel) -> bool:
    """Make `model` take the argument `block_lengths`; False where its code has an attention of its own."""
    if not model._supports_attention_backend:
        return False
    from transformers import AttentionInterface

    AttentionInterface.register(NAME, block_attention)
    model.set_attn_implementation(NAME)
    return True


def block_attention(
    module: nn.Module,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attention_mask: Tensor | None,
    block_lengths: Sequence[int] | None = None,
    **options: Any,  # noqa: ANN401 - whatever the model's code hands to attention functions
) -> tuple[Tensor, None]:
    """Scaled dot-product attention of each block with itself.

    Cost grows with the square of a block's length, not of the row's.

    Args:
        module: the model's attention layer.
        query, key, value: `[1, heads, T, head size]`.
        attention_mask: `[1, 1, T, T]`, True where row may see column.
        block_lengths: lengths that add up to `T`; None for one block.
        options: for transformers' own function.

    Returns:
        `[1, T, heads, head size]`, and None for the attention weights.
    """
    from transformers.integrations.sdpa_attention import sdpa_attention_forward

    if block_lengths is None or attention_mask is None:
        return sdpa_attention_forward(module, query, key, value, attention_mask, **options)
    outputs, start = [], 0
    for length in block_lengths:
        own = slice(start, start + length)
        parts = (query[:, :, own], key[:, :, own], value[:, :, own], attention_mask[:, :, own, own])
        outputs.append(sdpa_attention_forward(module, *parts, **options)[0])
        start += length
    return torch.cat(outputs, dim=1), None
