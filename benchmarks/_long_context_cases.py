"""One piece of work of `long_context.py`, in this process: `python _long_context_cases.py '{"case": ..., ...}'`."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
from typing import Any

import torch
from _process_memory import peak_bytes, resident_bytes
from transformers import LlamaConfig, LlamaForCausalLM

from rlpt.policy.logprobs import logprobs_of_logits
from rlpt.policy.network import PolicyNetwork
from rlpt.policy.packing import PackedBatch, pack
from rlpt.records import Rollout

GB = 1e9
TEMPERATURE = 0.7

Values = tuple[torch.Tensor, torch.Tensor | None]
"""Log-probabilities and entropies."""


def main() -> None:
    """Do the case that the only argument names, and print its figures."""
    options: dict[str, Any] = json.loads(sys.argv[1])
    torch.set_num_threads(len(os.sched_getaffinity(0)))
    torch.manual_seed(0)
    print(json.dumps(CASES[options.pop("case")](**options)))


def logprobs_memory(tokens: int, length: int, vocabulary: int, hidden: int) -> dict[str, float]:
    """What log-probabilities, entropies and their backward pass take above the loaded model."""
    network, batch = _shallow(vocabulary, hidden, length), _packed(tokens, length, vocabulary)
    held = resident_bytes()
    _backward(network(batch))
    return {"extra_gb": (peak_bytes() - held) / GB, "held_gb": held / GB}


def logprobs_speed(tokens: int, length: int, vocabulary: int, hidden: int, rounds: int) -> dict[str, Any]:
    """Tokens a second of each round: ours, and those of the plain computation, before and after it."""
    network = _shallow(vocabulary, hidden, length)
    ours, plain = _packed(tokens, length, vocabulary), _packed(length, length, vocabulary)
    found: dict[str, list[float]] = {"ours": [], "plain": []}
    _per_s(network, lambda: _plain(network, plain), plain)  # what the first call takes more is no figure of either
    for _ in range(rounds):
        before = _per_s(network, lambda: _plain(network, plain), plain)
        found["ours"].append(_per_s(network, lambda: network(ours), ours))
        after = _per_s(network, lambda: _plain(network, plain), plain)
        found["plain"].append(2 / (1 / before + 1 / after))
    return found


def train(
    tokens: int, layers: int, width: int, vocabulary: int, activations: str, whole_logits: bool, whole_mask: bool
) -> dict[str, float]:
    """One training step on one sequence: forward, backward, AdamW. The peak is that of the whole process."""
    config = _config(vocabulary, width, layers, tokens)
    network = PolicyNetwork(LlamaForCausalLM(config), "float32", TEMPERATURE, activations)  # type: ignore[arg-type]
    network.linear_head = not whole_logits
    network.in_blocks = not whole_mask
    optimizer = torch.optim.AdamW(network.parameters(), fused=True)
    batch = _packed(tokens, tokens, vocabulary)
    started = time.perf_counter()
    _backward(network(batch))
    optimizer.step()
    return {"peak_gb": peak_bytes() / GB, "seconds": time.perf_counter() - started}


def _shallow(vocabulary: int, hidden: int, tokens: int) -> PolicyNetwork:
    """A model of one layer, so that its output layer is what takes memory and time."""
    model = LlamaForCausalLM(_config(vocabulary, hidden, layers=1, tokens=tokens))
    return PolicyNetwork(model, "float32", TEMPERATURE)


def _config(vocabulary: int, width: int, layers: int, tokens: int) -> LlamaConfig:
    return LlamaConfig(
        vocab_size=vocabulary,
        hidden_size=width,
        intermediate_size=4 * width,
        num_hidden_layers=layers,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=tokens + 1,
        tie_word_embeddings=True,
    )


def _packed(tokens: int, length: int, vocabulary: int) -> PackedBatch:
    """`tokens` tokens in sequences of `length`, as one micro-batch; the policy wrote all but the first of each."""
    drawn = torch.randint(0, vocabulary, (tokens // length, length + 1)).tolist()
    groups = [
        [(number, Rollout("t", "g", 0, ids[:1], ids[1:], [-1.0] * length, [1] * length, [0] * length, "stop", ""))]
        for number, ids in enumerate(drawn)
    ]
    (batch,) = pack(groups, tokens)
    assert len(batch.input_ids) == len(batch.targets) == tokens
    return batch


def _plain(network: PolicyNetwork, batch: PackedBatch) -> Values:
    """Log-probabilities from whole logits, of one sequence, as anyone would write them first."""
    logits = network.model(input_ids=batch.input_ids[None], use_cache=False).logits[0]
    return logprobs_of_logits(logits, batch.targets, TEMPERATURE, "value")


def _backward(values: Values) -> None:
    logprobs, entropies = values
    assert entropies is not None
    assert entropies.isfinite().all()
    (-logprobs.mean()).backward()


def _per_s(network: PolicyNetwork, values: Callable[[], Values], batch: PackedBatch) -> float:
    network.zero_grad()
    started = time.perf_counter()
    _backward(values())
    return len(batch.targets) / (time.perf_counter() - started)


CASES: dict[str, Callable[..., dict[str, Any]]] = {
    "logprobs_memory": logprobs_memory,
    "logprobs_speed": logprobs_speed,
    "train": train,
}

if __name__ == "__main__":
    main()
