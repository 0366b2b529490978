"""Packing: the same numbers as each rollout in a row of its own, and no padding."""

import pytest
import torch
from transformers import LlamaConfig, LlamaForCausalLM

from rlpt.policy.network import PolicyNetwork
from rlpt.policy.packing import pack
from rlpt.records import Rollout


def rollout(prompt, tokens, mask=None, group="g", logprobs=None):
    return Rollout(
        "t",
        group,
        0,
        prompt,
        tokens,
        logprobs or [-1.0] * len(tokens),
        mask or [1] * len(tokens),
        [0] * len(tokens),
        "stop",
        "",
    )


@pytest.fixture(scope="module")
def network():
    torch.manual_seed(0)
    config = LlamaConfig(
        vocab_size=50,
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=128,
        initializer_range=0.3,
    )
    return PolicyNetwork(LlamaForCausalLM(config), "float32", temperature=0.7)


GROUPS = [
    [
        (0, rollout([5, 6, 7], [8, 9, 10], group="a")),
        (1, rollout([5, 6, 7], [11], group="a")),
        (2, rollout([5, 6, 7], [12, 2, 2, 13], [1, 0, 0, 1], group="a")),
    ],
    [(3, rollout([20], [21, 22, 23, 24, 25], group="b")), (4, rollout([20], [30, 2], group="b"))],
]


def alone(network, one):
    """Log-probabilities of the action tokens by a plain forward over a row of its own."""
    ids = torch.tensor([*one.prompt_ids, *one.token_ids])
    logprobs = (network.model(input_ids=ids[None]).logits[0] / network.temperature).log_softmax(-1)
    start = len(one.prompt_ids)
    return [
        logprobs[start + k - 1, token].item()
        for k, (token, act) in enumerate(zip(one.token_ids, one.action_mask, strict=True))
        if act
    ]


@pytest.mark.parametrize("budget", [1, 8, 13, 1000])
def test_packed_equals_alone(network, budget):
    packed: dict[int, list[float]] = {}
    for batch in pack(GROUPS, budget):
        values, _ = network(batch)
        for number, value in zip(batch.rollout.tolist(), values.tolist(), strict=True):
            packed.setdefault(number, []).append(value)
    for group in GROUPS:
        for number, one in group:
            assert packed[number] == pytest.approx(alone(network, one), abs=1e-5)


def test_budget_is_kept_and_prompts_are_shared():
    batches = pack(GROUPS, 13)
    assert all(len(batch.input_ids) <= 13 for batch in batches)
    whole = pack(GROUPS, 1000)
    assert len(whole) == 1
    # Prompts once for each group; the last token of a completion predicts nothing.
    assert len(whole[0].input_ids) == (3 + 2 + 0 + 3) + (1 + 4 + 1)


def test_a_rollout_without_action_tokens_is_left_out():
    assert pack([[(0, rollout([1, 2], [])), (1, rollout([1, 2], [3], [0]))]], 100) == []


def test_the_last_eos_counts_also_where_pad_is_eos():
    """Masks come from lengths: a token equal to the pad id is trained on like any other."""
    batch = pack([[(0, rollout([5], [2, 2]))]], 100)[0]
    assert batch.targets.tolist() == [2, 2]


def test_idle_batch_has_no_targets_but_a_gradient(network):
    from rlpt.policy.packing import PackedBatch

    values, _ = network(PackedBatch.idle([1, 2, 3]))
    network.zero_grad()
    values.sum().backward()
    gradients = [parameter.grad for parameter in network.parameters()]
    assert all(gradient is not None and not gradient.any() for gradient in gradients)


def test_blocks_are_attended_to_one_by_one(network, monkeypatch):
    (batch,) = pack(GROUPS, 1000)
    assert sum(batch.block_lengths) == len(batch.input_ids)
    assert len(batch.block_lengths) == len(GROUPS)
    seen = []
    plain = torch.nn.functional.scaled_dot_product_attention
    monkeypatch.setattr(
        torch.nn.functional,
        "scaled_dot_product_attention",
        lambda query, *rest, **options: (seen.append(query.shape[2]), plain(query, *rest, **options))[1],
    )
    network(batch)
    layers = network.model.config.num_hidden_layers
    assert seen == list(batch.block_lengths) * layers


def test_a_model_with_attention_code_of_its_own_sees_the_whole_mask(network):
    (batch,) = pack(GROUPS, 1000)
    whole = PolicyNetwork(network.model, "float32", temperature=0.7)
    whole.in_blocks = False
    assert torch.allclose(whole(batch)[0], network(batch)[0], atol=1e-6)
