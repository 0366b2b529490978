"""Two ranks, sharded by FSDP2 over gloo: the gradient of one process, also with tied weights and idle micro-batches."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

RANK = """
import os, sys, torch
import torch.distributed as dist
from torch.distributed.device_mesh import init_device_mesh
from transformers import LlamaConfig, LlamaForCausalLM
from rlpt.policy.balance import groups_of
from rlpt.policy.network import PolicyNetwork
from rlpt.policy.sharding import hold_gradients, shard
from rlpt.policy.packing import PackedBatch, pack
from rlpt.records import Rollout

def network(tied, activations="keep", logits_mib=64):
    torch.manual_seed(0)
    config = LlamaConfig(vocab_size=51, hidden_size=32, intermediate_size=64, num_hidden_layers=2,
                         num_attention_heads=4, num_key_value_heads=2, initializer_range=0.1, tie_word_embeddings=tied)
    return PolicyNetwork(LlamaForCausalLM(config), "float32", 0.7, activations, logits_mib)

def rollout(length, start):
    ids = [(start + k) % 51 for k in range(length)]
    return Rollout("t", "g", 0, [1, 2, 3], ids, [-1.0] * length, [1] * length, [0] * length, "stop", "")

GROUPS = [[(3 * g + i, rollout(4 + 5 * g + i, 7 * g)) for i in range(3)] for g in range(4)]

def gradient(policy, batches):
    for number, batch in enumerate(batches):
        hold_gradients(policy, last=number == len(batches) - 1)
        logprobs, entropies = policy(batch, "gradient")
        ((logprobs.sum() + 0.3 * entropies.sum()) / 100).backward()
    grads = [parameter.grad for parameter in policy.parameters()]
    return torch.cat([(g.full_tensor() if hasattr(g, "full_tensor") else g).flatten() for g in grads])

rank = int(sys.argv[1])
dist.init_process_group("gloo", init_method="file://" + sys.argv[2], rank=rank, world_size=2)
mesh = init_device_mesh("cpu", (2,))
for tied in (False, True):
    expected = gradient(network(tied), pack(GROUPS, 1000))
    for activations, logits_mib in (("keep", 64), ("recompute", 0), ("offload", 64)):
        policy = network(tied, activations, logits_mib)
        shard(policy, mesh)
        batches = pack(groups_of(rank, GROUPS, 2), 25 + 1000 * rank)
        counts = [None, None]
        dist.all_gather_object(counts, len(batches))
        assert counts[0] != counts[1], counts
        batches += [PackedBatch.idle()] * (max(counts) - len(batches))
        found = gradient(policy, batches)
        assert torch.allclose(found, expected, atol=1e-6), (tied, activations, (found - expected).abs().max())
print("same", flush=True)
"""


def test_the_gradient_is_that_of_one_process(tmp_path: Path) -> None:
    command = [sys.executable, "-W", "error::UserWarning:torch.distributed.fsdp", "-c", RANK]
    ranks = [
        subprocess.Popen(
            [*command, str(rank), str(tmp_path / "meeting")], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        for rank in range(2)
    ]
    try:
        for process in ranks:
            out, errors = process.communicate(timeout=240)
            assert out.strip() == "same", errors
    except subprocess.TimeoutExpired:
        pytest.fail("the ranks wait for each other")
    finally:
        for process in ranks:
            process.kill()
            process.wait()
