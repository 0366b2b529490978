"""A small real model and a real vLLM engine on it."""

import pytest

from rlpt.policy import tiny
from rlpt.policy.stop_tokens import stop_token_ids
from rlpt.samplers.vllm import VLLMSampler

TEXTS = [
    f"What is {a} plus {b}? It is {a + b}. Write a short sentence about rain." for a in range(30) for b in range(30)
]


@pytest.fixture(scope="session")
def model_folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("models") / "fresh"
    tiny.write_fresh_model(TEXTS, folder, seed=0)
    return folder


@pytest.fixture(scope="session")
def make_sampler(model_folder, tmp_path_factory):
    made = []

    def make(**options):
        log_path = tmp_path_factory.mktemp("engine") / "engine.log"
        defaults = {"dtype": "float32", "context_length": 128, "kv_cache_gib": 0.1, "threads": 1}
        ends = stop_token_ids(model_folder)
        sampler = VLLMSampler(model_folder=model_folder, log_path=log_path, stop_token_ids=ends, **(defaults | options))
        made.append(sampler)
        return sampler

    yield make
    for sampler in made:
        sampler.close()


@pytest.fixture(scope="session")
def sampler(make_sampler):
    return make_sampler(temperature=0.8)
