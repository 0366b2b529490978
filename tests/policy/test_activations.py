"""Recomputed and offloaded activations change what is kept, and no number."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode
from transformers import (
    CohereConfig,
    CohereForCausalLM,
    Gemma2Config,
    Gemma2ForCausalLM,
    LlamaConfig,
    LlamaForCausalLM,
    Qwen2Config,
    Qwen2ForCausalLM,
)

from rlpt.errors import UserError
from rlpt.policy.activations import recompute
from rlpt.policy.network import PolicyNetwork
from rlpt.policy.packing import pack
from rlpt.records import Rollout

SIZE = {
    "vocab_size": 50,
    "hidden_size": 32,
    "intermediate_size": 64,
    "num_hidden_layers": 3,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "initializer_range": 0.3,
    "pad_token_id": 0,
}


def network(activations="keep", config=LlamaConfig, model=LlamaForCausalLM, dtype="float32", **options):
    torch.manual_seed(0)
    return PolicyNetwork(model(config(**SIZE, **options)), dtype, 0.7, activations)


def batch(tokens=40):
    ids = [number % 40 for number in range(tokens)]
    one = Rollout("t", "g", 0, [1, 2, 3], ids, [-1.0] * tokens, [1] * tokens, [0] * tokens, "stop", "")
    return pack([[(0, one), (1, one)]], 1000)[0]


def gradients(policy, given):
    policy.zero_grad()
    logprobs, entropies = policy(given, "gradient")
    (logprobs.sum() + entropies.sum()).backward()
    return logprobs.detach(), [parameter.grad for parameter in policy.parameters()]


@pytest.mark.parametrize("activations", ["recompute", "offload"])
@pytest.mark.parametrize("tied", [False, True])
@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_nothing_changes(activations, tied, dtype):
    values, expected = gradients(network("keep", tie_word_embeddings=tied, dtype=dtype), batch())
    found, got = gradients(network(activations, tie_word_embeddings=tied, dtype=dtype), batch())
    assert torch.equal(values, found)
    assert all(torch.equal(one, other) for one, other in zip(expected, got, strict=True))


def test_less_is_kept_and_the_layers_run_once_more():
    kept = {name: saved_bytes(network(name), batch(400)) for name in ("keep", "recompute", "offload")}
    assert kept["recompute"] < kept["keep"] / 3
    assert kept["offload"] < kept["recompute"] / 3
    products = {name: count_products(network(name), batch()) for name in ("keep", "recompute")}
    # Of a layer's seven matrix products the last gives nothing that is kept.
    assert products["recompute"] == products["keep"] + 6 * SIZE["num_hidden_layers"]


def saved_bytes(policy, given):
    """Bytes of distinct tensors, other than weights, that are kept for the backward pass where they were computed."""
    own = {parameter.data_ptr() for parameter in policy.parameters()}
    found = {}

    def note(tensor):
        if tensor.data_ptr() not in own:
            found[tensor.untyped_storage().data_ptr()] = tensor.untyped_storage().nbytes()
            alive.append(tensor)
        return tensor

    alive = []
    with torch.autograd.graph.saved_tensors_hooks(note, lambda tensor: tensor):
        policy(given, "none")
    return sum(found.values())


class Products(TorchDispatchMode):
    count = 0

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        self.count += function in (torch.ops.aten.mm.default, torch.ops.aten.addmm.default)
        return function(*args, **(kwargs or {}))


def count_products(policy, given):
    with Products() as mode:
        policy(given, "none")[0].sum().backward()
    return mode.count


def test_names_of_weights_stay():
    assert list(network("recompute").state_dict()) == list(network("keep").state_dict())


def test_a_model_without_known_layers_is_refused_with_the_fix():
    with pytest.raises(UserError, match=r"hardware\.activations=keep"):
        recompute([])


MODELS = [
    (LlamaConfig, LlamaForCausalLM, {}, True),
    (Qwen2Config, Qwen2ForCausalLM, {}, True),
    (CohereConfig, CohereForCausalLM, {"logit_scale": 0.5}, False),
    (Gemma2Config, Gemma2ForCausalLM, {"head_dim": 8, "final_logit_softcapping": 5.0}, False),
]


@pytest.mark.parametrize(("config", "model", "options", "linear"), MODELS, ids=[one[1].__name__ for one in MODELS])
def test_what_a_model_does_to_its_logits_is_done(config, model, options, linear):
    policy = network("keep", config, model, **options)
    assert policy.linear_head == linear
    one = Rollout("t", "g", 0, [5, 6, 7], [8, 9, 10], [-1.0] * 3, [1] * 3, [0] * 3, "stop", "")
    values, _ = policy(pack([[(0, one)]], 100)[0])
    ids = torch.tensor([[5, 6, 7, 8, 9, 10]])
    logprobs = (policy.model(input_ids=ids).logits[0] / 0.7).log_softmax(-1)
    assert values.tolist() == pytest.approx([logprobs[2 + k, token].item() for k, token in enumerate([8, 9, 10])], 1e-5)


def test_a_network_in_training_mode_stays_so():
    policy = SimpleNamespace(model=LlamaForCausalLM(LlamaConfig(**SIZE, attention_dropout=0.5)).train())
    assert PolicyNetwork(policy.model, "float32", 1.0).linear_head
    assert policy.model.training
