"""A packed row through a model's transformer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from torch import Tensor

from rlpt.policy.attention import small_masks
from rlpt.policy.packing import PackedBatch

if TYPE_CHECKING:
    from transformers import PreTrainedModel


def row_of(batch: PackedBatch, in_blocks: bool) -> dict[str, Any]:
    """Arguments of the model for a batch as a row; `in_blocks`: see `rlpt.policy.attention.attend_in_blocks`."""
    row = {"input_ids": batch.input_ids[None], "position_ids": batch.position_ids[None], "use_cache": False}
    if not in_blocks:
        return {**row, "attention_mask": batch.mask[None, None]}
    masks = small_masks(batch.blocks, batch.input_ids.device)
    return {**row, "attention_mask": None, "blocks": batch.blocks, "masks": masks}


def hidden_states(model: PreTrainedModel, batch: PackedBatch, in_blocks: bool) -> Tensor:
    """Return the hidden states `[T, H]` of a batch's tokens before the output layer."""
    hidden: Tensor = model.get_decoder()(**row_of(batch, in_blocks)).last_hidden_state[0]
    return hidden
