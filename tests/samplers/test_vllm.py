"""The real vLLM engine in its process: what the trainer relies on."""

import os
import signal
import subprocess
import sys
import time

import psutil
import pytest
import torch

from rlpt.policy.export import write_weights
from rlpt.policy.network import load_network
from rlpt.policy.packing import pack
from rlpt.policy.sharding import full_weights
from rlpt.policy.tokenizer import ChatTokenizer
from rlpt.records import Task
from rlpt.samplers.protocol import Request, SamplerError
from rlpt.samplers.restarting import RestartingSampler
from tests.samplers.sampling import sample_groups

PROMPTS = [[1, 40, 41, 42, 43, 4], [1, 50, 51, 4]]
REQUESTS = [Request(prompt, 3, 12) for prompt in PROMPTS]


def tokens(answers):
    return [sample.token_ids for answer in answers for sample in answer]


def mismatch(network, groups):
    numbered = [[(0, rollout) for rollout in group.rollouts] for group in groups]
    with torch.no_grad():
        return max(float((network(batch)[0] - batch.engine).abs().max()) for batch in pack(numbered, 512))


@pytest.fixture(scope="session")
def network(model_folder):
    return load_network(model_folder, "float32", 0.8, 128)


@pytest.fixture(scope="session")
def chat(model_folder):
    return ChatTokenizer(model_folder)


def roll_out(sampler, chat, seed):
    tasks = [Task("d", str(n), [{"role": "user", "content": f"What is {n} plus 3?"}], {}) for n in range(3)]
    return sample_groups(sampler, chat.encode, chat.decode, tasks, 4, {"d": 16}, ["a", "b", "c"], seed)


def test_as_many_samples_as_asked_in_order(sampler):
    answers = sampler.sample([Request(PROMPTS[0], 2, 5), Request(PROMPTS[1], 3, 7)], seed=1)
    assert [len(answer) for answer in answers] == [2, 3]
    for answer, most in zip(answers, (5, 7), strict=True):
        for sample in answer:
            assert len(sample.token_ids) == len(sample.logprobs) <= most
            assert (sample.finish_reason == "length") == (len(sample.token_ids) == most and sample.token_ids[-1] != 1)


def test_nothing_asked_is_nothing_answered(sampler):
    assert sampler.sample([], seed=1) == []


def test_the_seed_decides(sampler):
    first = tokens(sampler.sample(REQUESTS, seed=5))
    assert tokens(sampler.sample(REQUESTS, seed=5)) == first
    assert tokens(sampler.sample(REQUESTS, seed=6)) != first


def test_log_probabilities_are_the_trainers(sampler, network, chat):
    """fp32 against fp32, at a temperature that is not 1."""
    assert mismatch(network, roll_out(sampler, chat, seed=2)) < 1e-4


def test_new_weights_arrive_and_old_prefixes_are_forgotten(make_sampler, network, chat, tmp_path):
    sampler = make_sampler(temperature=0.8)
    before = roll_out(sampler, chat, seed=3)
    assert {version for group in before for rollout in group.rollouts for version in rollout.versions} == {0}
    changed = load_network(sampler.model_folder, "float32", 0.8, 128)
    with torch.no_grad():
        for parameter in changed.parameters():
            parameter.add_(torch.randn(parameter.shape, generator=torch.Generator().manual_seed(0)) * 0.02)
    path = tmp_path / "weights.safetensors"
    write_weights(full_weights(changed, torch.float32), path)
    sampler.load(path, version=7)
    after = roll_out(sampler, chat, seed=3)
    assert {version for group in after for rollout in group.rollouts for version in rollout.versions} == {7}
    assert mismatch(changed, after) < 1e-4
    assert mismatch(network, after) > 1e-3, "the engine still answers from the old weights"


def test_samples_do_not_depend_on_the_batch_with_seeds_per_request(make_sampler):
    sampler = make_sampler(per_request_seeds=True)
    together = sampler.sample(REQUESTS, seed=9)
    alone = sampler.sample(REQUESTS[1:], seed=9)
    assert tokens(together[1:]) == tokens(alone)
    assert len({tuple(ids) for ids in tokens(alone)}) > 1, "samples of one prompt differ"


def test_a_killed_engine_is_replaced_with_the_last_weights(make_sampler, model_folder):
    made = []

    def make():
        made.append(make_sampler())
        return made[-1]

    sampler = RestartingSampler(make, restarts_allowed=1)
    sampler.load(model_folder / "model.safetensors", version=4)
    os.kill(made[0].pid, signal.SIGKILL)
    answers = sampler.sample(REQUESTS, seed=1)
    assert len(tokens(answers)) == 6
    assert (sampler.version, sampler.restarts) == (4, 1)
    os.kill(made[1].pid, signal.SIGKILL)
    with pytest.raises(SamplerError, match="ended"):
        sampler.sample(REQUESTS, seed=1)


def test_an_engine_that_cannot_start_says_why(make_sampler):
    sampler = make_sampler(context_length=10_000_000)
    with pytest.raises(SamplerError, match="max_model_len"):
        sampler.sample(REQUESTS, seed=1)


def test_the_engine_ends_with_its_trainer(model_folder, tmp_path):
    code = (
        "import sys, time; from pathlib import Path; from rlpt.samplers.vllm import VLLMSampler\n"
        "folder, log = map(Path, sys.argv[1:])\n"
        "s = VLLMSampler(model_folder=folder, log_path=log, stop_token_ids=[1], dtype='float32', context_length=64)\n"
        "print(s.pid, flush=True); time.sleep(600)"
    )
    trainer = subprocess.Popen(
        [sys.executable, "-c", code, str(model_folder), str(tmp_path / "log")], stdout=subprocess.PIPE, text=True
    )
    engine = psutil.Process(int(trainer.stdout.readline()))
    trainer.kill()
    trainer.wait()
    deadline = time.monotonic() + 60
    while engine.is_running() and engine.status() != psutil.STATUS_ZOMBIE and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not engine.is_running() or engine.status() == psutil.STATUS_ZOMBIE
