"""The plan says what a run needs, and refuses what cannot fit."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path

import pytest

from rlpt.budget.machine import machine_memory_bytes
from rlpt.budget.memory import Placement
from rlpt.budget.plan import GIB, Work, check_plan, format_plan, make_plan
from rlpt.budget.shape import ModelShape, count_parameters, read_shape
from rlpt.errors import UserError

MODEL = ModelShape(parameters=100_000_000, layers=10, hidden=500, intermediate=2000, vocabulary=10_000)
WORK = Work(steps=10, tasks_per_step=12, group_size=8, prompt_tokens=100, new_tokens=64, evaluation_samples=768)
CPU = Placement(
    dtype="float32", ranks_per_pool=1, shards=1, tokens_per_micro_batch=512, kv_cache_gib=1.0, memory_bytes=16 * GIB
)


def test_tokens_and_operations_are_counted():
    plan = make_plan(MODEL, WORK, CPU)
    groups = 10 * 12
    assert plan.sampled_tokens == (groups * 8 + 768) * 64
    assert plan.trained_tokens == groups * (100 + 8 * 64)
    prompts = (groups + 768) * 100
    assert plan.flops == 100e6 * (2 * (plan.sampled_tokens + prompts) + 6 * plan.trained_tokens)


def test_passes_before_the_update_and_a_critic_take_operations():
    plain = make_plan(MODEL, WORK, CPU)
    more = make_plan(MODEL, replace(WORK, looks=2, critic=True), CPU)
    assert more.trained_tokens == plain.trained_tokens
    assert more.flops - plain.flops == 100e6 * (2 * 2 + 6) * plain.trained_tokens


def test_adam_in_fp32_takes_sixteen_bytes_a_parameter_and_fsdp_and_the_engine_their_own():
    memory = make_plan(MODEL, WORK, CPU).memory
    assert memory["weights"] + memory["gradients"] + memory["optimizer"] == 16 * 100_000_000
    assert memory["gathered weights"] == 4 * 100_000_000
    assert memory["engine"] == memory["weights for the engine"] == 4 * 100_000_000
    assert memory["kv cache"] == GIB


def test_two_ranks_on_a_machine_share_the_optimizer_and_not_the_engine():
    one = make_plan(MODEL, WORK, CPU).memory
    two = make_plan(MODEL, WORK, replace(CPU, ranks_per_pool=2, shards=2)).memory
    assert two["optimizer"] == one["optimizer"]
    assert two["engine"] == 2 * one["engine"]
    assert two["gathered weights"] == 2 * one["gathered weights"], "each rank computes with whole weights"
    device = make_plan(MODEL, WORK, replace(CPU, shards=8)).memory
    assert device["optimizer"] == one["optimizer"] / 8


def test_a_reference_takes_memory_where_it_stays():
    plain, with_it = (make_plan(MODEL, WORK, replace(CPU, reference=there)) for there in (False, True))
    assert with_it.memory_bytes - plain.memory_bytes >= 4 * 100_000_000
    device = replace(CPU, on_cpu=False, reference=True)
    assert "reference" not in make_plan(MODEL, WORK, device).memory


def test_a_critic_has_moments_of_its_own():
    memory = make_plan(MODEL, WORK, replace(CPU, critic=True)).memory
    assert memory["critic"] == memory["weights"] + memory["optimizer"]


def test_recomputation_keeps_one_layer_and_offloading_frees_a_device_of_the_inputs():
    keep, recompute, offload = (
        make_plan(MODEL, WORK, replace(CPU, on_cpu=False, activations=way)).memory["activations"]
        for way in ("keep", "recompute", "offload")
    )
    assert keep == MODEL.layers * offload
    assert recompute == offload + 512 * 4 * MODEL.layers * MODEL.hidden
    on_cpu = make_plan(MODEL, WORK, replace(CPU, activations="offload")).memory["activations"]
    assert on_cpu == recompute, "there the inputs stay where they were"


def test_logits_take_no_more_than_their_limit():
    few, many = (make_plan(MODEL, WORK, replace(CPU, logits_mib=mib)).memory["logits"] for mib in (1, 1 << 20))
    assert few == 2 << 20
    assert many == 2 * 4 * 512 * MODEL.vocabulary


@pytest.mark.parametrize(
    ("change", "advice"),
    [
        ({"tokens_per_micro_batch": 200_000}, r"hardware\.activations=recompute"),
        (
            {"logits_mib": 20_000, "tokens_per_micro_batch": 200_000, "activations": "recompute"},
            r"hardware\.logits_mib",
        ),
        ({"kv_cache_gib": 20.0}, r"sampler\.kv_cache_gib"),
        ({"memory_bytes": GIB}, "smaller policy|kv_cache"),
    ],
)
def test_what_does_not_fit_is_refused_with_a_way_out(change: dict[str, float], advice: str):
    check_plan(make_plan(MODEL, WORK, CPU))
    with pytest.raises(UserError, match=rf"needs about .* GiB .*({advice})"):
        check_plan(make_plan(MODEL, WORK, replace(CPU, **change)))


def test_the_plan_is_one_readable_line():
    line = format_plan(make_plan(MODEL, WORK, CPU))
    assert "\n" not in line
    assert "100M parameters" in line
    assert "of 16.0 GiB" in line
    assert "111k tokens sampled and 73.4k trained on" in line


def test_the_shape_is_read_from_headers(tmp_path: Path):
    _save(tmp_path / "model-1.safetensors", {"a": [3, 4], "b": [5]})
    _save(tmp_path / "model-2.safetensors", {"c": [2, 2]})
    config = {
        "hidden_size": 64,
        "intermediate_size": 192,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "vocab_size": 100,
    }
    (tmp_path / "config.json").write_text(json.dumps(config))
    assert read_shape(tmp_path) == ModelShape(21, 2, 64, 192, 100)


def test_what_is_no_model_folder_is_said(tmp_path: Path):
    with pytest.raises(UserError, match="not a model folder"):
        read_shape(tmp_path)
    (tmp_path / "config.json").write_text('{"n_embd": 8, "n_layer": 1, "n_head": 2, "vocab_size": 9}')
    with pytest.raises(UserError, match="no weights"):
        read_shape(tmp_path)
    (tmp_path / "model.safetensors").write_bytes(b"\xff" * 20)
    with pytest.raises(UserError, match="not a model folder"):
        read_shape(tmp_path)


def test_the_shape_of_a_real_model_folder(tmp_path: Path):
    transformers = pytest.importorskip("transformers")
    config = transformers.LlamaConfig(
        hidden_size=64,
        intermediate_size=192,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        vocab_size=300,
        tie_word_embeddings=True,
    )
    model = transformers.LlamaForCausalLM(config)
    model.save_pretrained(tmp_path)
    assert read_shape(tmp_path) == ModelShape(model.num_parameters(), 2, 64, 192, 300)


def test_the_machine_has_some_memory():
    assert GIB / 4 < machine_memory_bytes() <= os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def _save(file: Path, shapes: dict[str, list[int]]) -> None:
    header = {"__metadata__": {"format": "pt"}} | {
        name: {"dtype": "F32", "shape": shape, "data_offsets": [0, 0]} for name, shape in shapes.items()
    }
    content = json.dumps(header).encode()
    file.write_bytes(len(content).to_bytes(8, "little") + content)
    assert count_parameters(file) > 0
