"""The usual way to train on sequences of several lengths: rectangles with padding."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from rlpt.policy.logprobs import token_logprobs
from rlpt.policy.network import PolicyNetwork
from rlpt.records import Rollout


def rectangles(rollouts: Sequence[Rollout], width: int | None, budget: int) -> list[list[Rollout]]:
    """Fill micro-batches of at most `budget` tokens, padding counted, in order.

    `width` is the length that all are padded to; None pads each micro-batch to its own longest.
    """
    batches: list[list[Rollout]] = []
    longest = 0
    for rollout in rollouts:
        longest = max(longest, length(rollout))
        if not batches or (width or longest) * (len(batches[-1]) + 1) > budget:
            batches.append([])
            longest = length(rollout)
        batches[-1].append(rollout)
    return batches


def length(rollout: Rollout) -> int:
    """Tokens of a prompt and its completion."""
    return len(rollout.prompt_ids) + len(rollout.token_ids)


def padded_logprobs(network: PolicyNetwork, rollouts: Sequence[Rollout], width: int | None) -> Tensor:
    """`[K]`, log-probabilities of the completions' tokens, from one rectangle; logits for these tokens only."""
    width = width or max(map(length, rollouts))
    ids = torch.zeros(len(rollouts), width, dtype=torch.long)
    seen, actions = torch.zeros_like(ids), torch.zeros(len(rollouts), width - 1, dtype=torch.bool)
    for row, rollout in enumerate(rollouts):
        end = length(rollout)
        ids[row, :end] = torch.tensor([*rollout.prompt_ids, *rollout.token_ids])
        seen[row, :end] = 1
        actions[row, len(rollout.prompt_ids) - 1 : end - 1] = True
    model = network.model
    hidden = model.get_decoder()(input_ids=ids, attention_mask=seen, use_cache=False).last_hidden_state[:, :-1]
    weight = model.get_output_embeddings().weight
    logprobs, _ = token_logprobs(hidden[actions], weight, None, ids[:, 1:][actions], network.temperature, "none")
    return logprobs
