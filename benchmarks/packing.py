"""Packed micro-batches beside padded ones, on a batch of very different lengths.

    python benchmarks/packing.py [--json FILE] [--rounds 3] [--rollouts 64] [--shortest 16] [--longest 2048]
        [--budget 4096] [--width 128] [--layers 4] [--seed 0]

Lengths are drawn evenly on a logarithmic scale, and the shortest and longest are among them. One update is forward and
backward over all rollouts in micro-batches of at most `--budget` tokens, and one AdamW step; both ways compute the same
gradient, which is checked. `updates_vs_padded`: updates a second of packed micro-batches over those of micro-batches
that are padded to the batch's longest; `updates_vs_sorted`: over those of rollouts sorted by length and padded to each
micro-batch's longest. Ratios are taken within a round, in turns of order; the figure is the median of the rounds.
Prompts are not shared here, so nothing but padding is saved. `real_token_share`: real tokens among all that two ranks
compute for the same rollouts in groups of four with a prompt in common: prompts that stand twice, because their group
fills more than one micro-batch, and the micro-batches of ranks that only wait, are not real.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import median
from typing import Any

import torch
from _padded import length, padded_logprobs, rectangles
from torch import Tensor
from transformers import LlamaConfig, LlamaForCausalLM

from rlpt.policy.balance import groups_of
from rlpt.policy.network import PolicyNetwork
from rlpt.policy.packing import Numbered, PackedBatch, pack
from rlpt.records import Rollout

VOCABULARY = 1024
PROMPT_TOKENS = 8
GROUP_SIZE = 4
RANKS = 2


def main() -> None:
    """Measure, print, and write the figures where `--json` says."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", type=Path, default=None)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--rollouts", type=int, default=64)
    parser.add_argument("--shortest", type=int, default=16)
    parser.add_argument("--longest", type=int, default=2048)
    parser.add_argument("--budget", type=int, default=4096)
    parser.add_argument("--width", type=int, default=128)
    parser.add_argument("--layers", type=int, default=4)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    torch.set_num_threads(len(os.sched_getaffinity(0)))
    torch.manual_seed(options.seed)
    rollouts = draw(options)
    figures = {"real_token_share": round(real_token_share(rollouts, options.budget), 4)}
    figures |= speeds(build(options), rollouts, options)
    if options.json:
        options.json.write_text(json.dumps(figures, indent=2) + "\n")
    for key, value in figures.items():
        print(f"{key} = {value}")


def draw(options: argparse.Namespace) -> list[Rollout]:
    """Rollouts of skewed lengths, prompt and completion together."""
    rng = random.Random(options.seed)
    span = options.longest / options.shortest
    lengths = [round(options.shortest * span ** rng.random()) for _ in range(options.rollouts - 2)]
    lengths += [options.shortest, options.longest]
    rng.shuffle(lengths)
    return [_rollout([rng.randrange(VOCABULARY) for _ in range(tokens)]) for tokens in lengths]


def build(options: argparse.Namespace) -> PolicyNetwork:
    """A small policy."""
    config = LlamaConfig(
        vocab_size=VOCABULARY,
        hidden_size=options.width,
        intermediate_size=3 * options.width,
        num_hidden_layers=options.layers,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=options.longest,
        tie_word_embeddings=True,
    )
    return PolicyNetwork(LlamaForCausalLM(config), "float32", temperature=1.0)


def real_token_share(rollouts: Sequence[Rollout], budget: int) -> float:
    """Real tokens among those that the ranks compute for these rollouts in groups."""
    groups = in_groups(rollouts)
    real = sum(
        len(group[0][1].prompt_ids) + sum(len(rollout.token_ids) - 1 for _, rollout in group) for group in groups
    )
    packed = [pack(groups_of(rank, groups, RANKS), budget) for rank in range(RANKS)]
    most = max(map(len, packed))
    computed = 0
    for batches in packed:
        idle = [PackedBatch.idle()] * (most - len(batches))
        computed += sum(len(batch.input_ids) for batch in [*batches, *idle])
    return real / computed


def in_groups(rollouts: Sequence[Rollout]) -> list[Numbered]:
    """The same lengths, in groups that share the prompt of their first."""
    groups: list[Numbered] = []
    for start in range(0, len(rollouts), GROUP_SIZE):
        own = rollouts[start : start + GROUP_SIZE]
        groups.append([(start + k, replace(one, prompt_ids=own[0].prompt_ids)) for k, one in enumerate(own)])
    return groups


def speeds(network: PolicyNetwork, rollouts: Sequence[Rollout], options: argparse.Namespace) -> dict[str, Any]:
    """Seconds of an update in each way, and their ratios."""
    tokens, budget = sum(rollout.actions for rollout in rollouts), options.budget
    in_order = sorted(rollouts, key=length)

    def packed() -> None:
        for batch in pack([[(number, one)] for number, one in enumerate(rollouts)], budget):
            backward(network(batch, "none")[0])

    def padded() -> None:
        for own in rectangles(rollouts, options.longest, budget):
            backward(padded_logprobs(network, own, options.longest))

    def by_length() -> None:
        for own in rectangles(in_order, None, budget):
            backward(padded_logprobs(network, own, None))

    def backward(logprobs: Tensor) -> None:
        (-logprobs.sum() / tokens).backward()

    ways = {"packed": packed, "padded": padded, "sorted": by_length}
    same_gradient(network, ways)
    optimizer = torch.optim.AdamW(network.parameters(), lr=1e-5, fused=True)
    seconds: dict[str, list[float]] = {name: [] for name in ways}
    for number in range(options.rounds):
        for name in ways if number % 2 == 0 else reversed(ways):
            started = time.perf_counter()
            ways[name]()
            optimizer.step()
            optimizer.zero_grad()
            seconds[name].append(time.perf_counter() - started)
    found: dict[str, Any] = {f"{name}_s": round(median(taken), 3) for name, taken in seconds.items()}
    for name in ("padded", "sorted"):
        ratios = [other / ours for other, ours in zip(seconds[name], seconds["packed"], strict=True)]
        found[f"updates_vs_{name}"] = round(median(ratios), 2)
    return found | {"rounds": options.rounds, "tokens": sum(map(length, rollouts)), "longest": options.longest}


def same_gradient(network: PolicyNetwork, ways: dict[str, Callable[[], None]]) -> None:
    """Raises AssertionError where the ways differ in what they compute."""
    found = {}
    for name, way in ways.items():
        network.zero_grad()
        way()
        found[name] = torch.cat([one.grad.flatten() for one in network.parameters() if one.grad is not None])
    network.zero_grad()
    for name, gradient in found.items():
        assert torch.allclose(gradient, found["packed"], atol=1e-6), f"{name} has another gradient"


def _rollout(ids: list[int]) -> Rollout:
    prompt, tokens = ids[:PROMPT_TOKENS], ids[PROMPT_TOKENS:]
    count = len(tokens)
    return Rollout("t", "g", 0, prompt, tokens, [-1.0] * count, [1] * count, [0] * count, "stop", "")


if __name__ == "__main__":
    main()
