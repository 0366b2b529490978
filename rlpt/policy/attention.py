"""Attention over a packed row: block by block, because nothing outside its block may be seen.

No mask of a row's or a long block's size is made. Where a block is one sequence the kernel is told that it is causal;
where completions share a prompt, short blocks take one small mask and long ones are attended to completion by
completion.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn

if TYPE_CHECKING:
    from transformers import PreTrainedModel

NAME = "rlpt_blocks"

MASK_TOKENS = 1024
"""Blocks of at most so many tokens are attended to in one call, with a mask of their size."""
MASK_ENTRIES = MASK_TOKENS**2
"""Most entries of any mask."""

Attend = Callable[[Tensor, Tensor, Tensor, Tensor | None], Tensor]
"""Queries, keys, values `[1, heads, tokens, size]` and a mask (None: causal) to outputs `[1, tokens, heads, size]`."""


@dataclass(frozen=True, slots=True)
class Block:
    """A prompt and its completions, in tokens, as they stand in a packed row."""

    prompt: int
    completions: tuple[int, ...]

    @property
    def tokens(self) -> int:
        """Length of the block."""
        return self.prompt + sum(self.completions)

    @property
    def one_sequence(self) -> bool:
        """Whether every token sees all before it."""
        return sum(length > 0 for length in self.completions) <= 1

    def mask(self, device: torch.device) -> Tensor:
        """`[tokens, tokens]`, True where row may see column."""
        lengths = torch.tensor([self.prompt, *self.completions], device=device)
        segment = torch.arange(len(lengths), device=device).repeat_interleave(lengths)
        seen: Tensor = (segment[:, None] == segment) | (segment == 0)
        return seen.tril()


Masks = Sequence[Tensor | None]


def whole_mask(blocks: Sequence[Block], device: torch.device) -> Tensor:
    """`[T, T]` for a row of these blocks, True where row may see column."""
    mask: Tensor = torch.block_diag(*(block.mask(device) for block in blocks))
    return mask.bool()


def small_masks(blocks: Sequence[Block], device: torch.device) -> Masks:
    """The masks of those blocks that are attended to with one, made once for all layers."""
    return [None if block.one_sequence or block.tokens > MASK_TOKENS else block.mask(device) for block in blocks]


def attend_in_blocks(model: PreTrainedModel) -> bool:
    """Make `model` take the arguments `blocks` and `masks`; False where its code has an attention of its own."""
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
    blocks: Sequence[Block] | None = None,
    masks: Masks = (),
    **options: Any,  # noqa: ANN401 - whatever the model's code hands to attention functions
) -> tuple[Tensor, None]:
    """Scaled dot-product attention of each block with itself.

    Cost grows with the square of a sequence's length, not of the row's; memory grows with the row.

    Args:
        module: the model's attention layer.
        query, key, value: `[1, heads, T, head size]`.
        attention_mask: where there are no `blocks`.
        blocks: with `T` tokens together; None for one causal row.
        masks: `small_masks` of the blocks.
        options: for transformers' own function.

    Returns:
        `[1, T, heads, head size]`, and None for the attention weights.
    """
    from transformers.integrations.sdpa_attention import sdpa_attention_forward

    def attend(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None) -> Tensor:
        return sdpa_attention_forward(module, query, key, value, mask, **options)[0]

    if blocks is None:
        return attend(query, key, value, attention_mask), None
    outputs, start = [], 0
    for block, mask in zip(blocks, masks, strict=True):
        own = slice(start, start + block.tokens)
        outputs += _attend_block(attend, query[:, :, own], key[:, :, own], value[:, :, own], block, mask)
        start += block.tokens
    return torch.cat(outputs, dim=1), None


def _attend_block(
    attend: Attend, query: Tensor, key: Tensor, value: Tensor, block: Block, mask: Tensor | None
) -> list[Tensor]:
    """The outputs of a block, in parts."""
    if block.one_sequence or mask is not None:
        return [attend(query, key, value, mask)]
    prompt = slice(0, block.prompt)
    outputs, start = [attend(query[:, :, prompt], key[:, :, prompt], value[:, :, prompt], None)], block.prompt
    for length in filter(None, block.completions):
        own = slice(start, start + length)
        keys, values = (torch.cat([part[:, :, prompt], part[:, :, own]], dim=2) for part in (key, value))
        if length >= block.prompt:
            # The kernel knows a causal square only; to compute the prompt again costs less than a mask.
            queries = torch.cat([query[:, :, prompt], query[:, :, own]], dim=2)
            outputs.append(attend(queries, keys, values, None)[:, block.prompt :])
        else:
            outputs += _attend_after(attend, query[:, :, own], keys, values)
        start += length
    return outputs


def _attend_after(attend: Attend, query: Tensor, key: Tensor, value: Tensor) -> list[Tensor]:
    """Attention of the last tokens of a sequence to all of it, a few rows at a time."""
    count, tokens = query.shape[2], key.shape[2]
    rows = max(1, MASK_ENTRIES // tokens)
    outputs = []
    for start in range(0, count, rows):
        end = min(start + rows, count)
        seen = tokens - count + end
        mask = torch.ones(end - start, seen, dtype=torch.bool, device=query.device).tril(seen - (end - start))
        outputs.append(attend(query[:, :, start:end], key[:, :, :seen], value[:, :, :seen], mask))
    return outputs
