"""The output layer of a causal language model."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch import nn

if TYPE_CHECKING:
    from transformers import PreTrainedModel

PROBE_TOKENS = 8


def has_linear_head(model: PreTrainedModel) -> bool:
    """Whether one linear layer makes the model's logits from its last hidden states, and nothing else does.

    Some models scale or cap their logits. No list of them would be complete, so the model is asked: one forward pass
    of a few tokens (not of one: the embedding of a padding token may be zero, and all that follows).
    """
    head = model.get_output_embeddings()
    if not isinstance(head, nn.Linear):
        return False
    training = model.training
    model.eval()
    ids = torch.arange(PROBE_TOKENS, device=head.weight.device)[None]
    with torch.no_grad():
        hidden = model.get_decoder()(input_ids=ids, use_cache=False).last_hidden_state
        alone = torch.equal(model(input_ids=ids, use_cache=False).logits, head(hidden))
    model.train(training)
    return alone
