"""Packing: the same numbers as each rollout in a row of its own, and no padding."""

import pytest
import torch
from transformers import LlamaConfig, LlamaForCausalLM

from rlpt.policy import attention
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

    values, _ = network(PackedBatch.idle())
    network.zero_grad()
    values.sum().backward()
    gradients = [parameter.grad for parameter in network.parameters()]
    assert all(gradient is not None and not gradient.any() for gradient in gradients)


def test_short_blocks_are_attended_to_one_by_one(network, monkeypatch):
    (batch,) = pack(GROUPS, 1000)
    assert [block.tokens for block in batch.blocks] == [3 + 2 + 0 + 3, 1 + 4 + 1]
    assert [tokens for tokens, _ in calls(network, batch, monkeypatch)[: len(GROUPS)]] == [8, 6]


def calls(network, batch, monkeypatch):
    """Queries and entries of the mask (0 for none) of each call of the attention kernel."""
    seen = []
    plain = torch.nn.functional.scaled_dot_product_attention

    def kernel(query, *rest, attn_mask=None, **options):
        seen.append((query.shape[2], 0 if attn_mask is None else attn_mask.numel()))
        return plain(query, *rest, attn_mask=attn_mask, **options)

    with monkeypatch.context() as patch:
        patch.setattr(torch.nn.functional, "scaled_dot_product_attention", kernel)
        network(batch)
    return seen


LONG = [
    [
        (0, rollout([5, 6, 7, 9, 8] * 6, [8, 9, 10] * 7, group="a")),
        (1, rollout([5, 6, 7, 9, 8] * 6, [12, 2, 2, 13] * 12, [1, 0, 0, 1] * 12, group="a")),
        (2, rollout([5, 6, 7, 9, 8] * 6, [11], group="a")),
        (3, rollout([5, 6, 7, 9, 8] * 6, [4] * 30, group="a")),
    ],
    [(4, rollout([20], list(range(40)), group="b"))],
]


@pytest.mark.parametrize(("tokens", "entries"), [(1024, 1 << 20), (0, 1 << 20), (0, 100), (0, 1)])
def test_long_blocks_give_the_same_numbers_without_large_masks(network, monkeypatch, tokens, entries):
    monkeypatch.setattr(attention, "MASK_TOKENS", tokens)
    monkeypatch.setattr(attention, "MASK_ENTRIES", entries)
    (batch,) = pack(LONG, 1000)
    values, _ = network(batch)
    gradients = torch.autograd.grad(values.sum(), list(network.parameters()))
    whole = PolicyNetwork(network.model, "float32", temperature=0.7)
    whole.in_blocks = False
    expected, _ = whole(batch)
    assert torch.allclose(values, expected, atol=1e-5)
    for got, wanted in zip(gradients, torch.autograd.grad(expected.sum(), list(network.parameters())), strict=True):
        assert torch.allclose(got, wanted, atol=1e-4 * wanted.abs().max().item())
    if tokens == 0:
        # One row of a mask is the least; the row's own square is the most that must never be there.
        assert max(mask for _, mask in calls(network, batch, monkeypatch)) <= max(entries, len(batch.input_ids))


def test_one_long_sequence_takes_no_mask(network, monkeypatch):
    (batch,) = pack([[(0, rollout(list(range(40)), list(range(30))))]], 1000)
    assert {mask for _, mask in calls(network, batch, monkeypatch)} == {0}


def test_a_model_with_attention_code_of_its_own_sees_the_whole_mask(network):
    (batch,) = pack(GROUPS, 1000)
    whole = PolicyNetwork(network.model, "float32", temperature=0.7)
    whole.in_blocks = False
    assert torch.allclose(whole(batch)[0], network(batch)[0], atol=1e-6)


def test_packed_equals_padded(network):
    """The usual way, a rectangle with an attention mask, gives the same numbers and gradients."""
    rollouts = [one for group in [*GROUPS, *LONG] for _, one in group]
    ids = [torch.tensor([*one.prompt_ids, *one.token_ids]) for one in rollouts]
    padded = torch.nn.utils.rnn.pad_sequence(ids, batch_first=True, padding_value=2)
    lengths = torch.tensor([len(one) for one in ids])
    seen = (torch.arange(padded.shape[1]) < lengths[:, None]).long()
    model = network.model
    model.set_attn_implementation("sdpa")
    logprobs = (model(input_ids=padded, attention_mask=seen).logits / network.temperature).log_softmax(-1)
    model.set_attn_implementation(attention.NAME)
    chosen = logprobs[:, :-1].gather(-1, padded[:, 1:, None]).squeeze(-1)
    actions = torch.zeros_like(chosen)
    for row, one in enumerate(rollouts):
        for place, action in enumerate(one.action_mask):
            actions[row, len(one.prompt_ids) + place - 1] = action
    total = (chosen * actions).sum()
    numbered = [[(0, one)] for one in rollouts]
    packed = sum(network(batch)[0].sum() for batch in pack(numbered, 70))
    assert packed.item() == pytest.approx(total.item(), rel=1e-6)
    weights = list(network.parameters())
    for got, wanted in zip(torch.autograd.grad(packed, weights), torch.autograd.grad(total, weights), strict=True):
        assert torch.allclose(got, wanted, atol=2e-6 * max(1.0, wanted.abs().max().item()))


def test_long_pieces_go_first_so_that_rows_are_full():
    lengths = [30, 70, 20, 80, 50, 50, 99, 2]
    batches = pack([[(number, rollout([1], [3] * length))] for number, length in enumerate(lengths)], 100)
    # A rollout of n tokens after a prompt of one takes n: its last token is not computed.
    assert sorted(len(batch.input_ids) for batch in batches) == [2, 99, 100, 100, 100]
    placed = sorted(number for batch in batches for number in set(batch.rollout.tolist()))
    assert placed == list(range(len(lengths)))


def test_what_follows_the_last_action_token_is_not_computed():
    (batch,) = pack([[(0, rollout([5], [1, 2, 3, 4], [1, 1, 0, 0]))]], 100)
    assert batch.input_ids.tolist() == [5, 1]
    assert batch.targets.tolist() == [1, 2]
