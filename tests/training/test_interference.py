"""Do domains' updates work against each other: cosines of real gradients, and nothing of the policy is touched."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace

import pytest
import torch

from rlpt.algorithms import aggregation, correction
from rlpt.records import Verdict
from rlpt.training.interference import Interference, interference
from rlpt.training.probe import Probe
from tests.training.stepping import GRPO, flat_gradient, group, network, step, weighed

CPU = torch.device("cpu")
TWO_RANKS = """
import json, sys
import torch.distributed as dist
from torch.distributed.device_mesh import init_device_mesh
from rlpt.policy.sharding import shard
from tests.training.test_interference import measured, named, network
dist.init_process_group("gloo", init_method="file://" + sys.argv[2], rank=int(sys.argv[1]), world_size=2)
policy = network()
shard(policy, init_device_mesh("cpu", (2,)))
print(json.dumps(measured([*named("a", 5, good=30), *named("b", 4, good=31, first=5)], policy).metrics()), flush=True)
"""


def named(domain: str, count: int, good: int, first: int = 0):
    """Groups whose answers with the token `good` are paid, and those with the other of 30 and 31 are not."""
    groups = []
    for number in range(first, first + count):
        answers = [[30, number % 20], [31, number % 20], [30], [31]]
        rewards = [float(answer[0] == good) for answer in answers]
        one = group(f"{domain}{number}", [number % 7, 3, 4], answers, rewards)
        groups.append(replace(one, task=replace(one.task, domain=domain)))
    return groups


def probed(groups):
    probe = Probe(dict.fromkeys(one.task.domain for one in groups), 16, 10_000)
    relabelled = [replace(one, task=replace(one.task, domain="d")) for one in groups]
    probe.add(groups, weighed(relabelled).by_group(relabelled))
    return probe.sets()


def measured(groups, policy=None, recipe=GRPO, tokens=1000) -> Interference:
    return interference(probed(groups), policy or network(), recipe, tokens, lambda loss: loss.backward(), CPU)


def test_a_domain_that_pays_for_the_opposite_has_a_cosine_near_minus_one() -> None:
    found = measured([*named("a", 8, good=30), *named("b", 8, good=31), *named("c", 8, good=30, first=8)])
    matrix = found.matrix()
    assert matrix["a"]["b"] == matrix["b"]["a"] < -0.9
    assert matrix["a"]["c"] > 0.6
    assert matrix["a"]["b"] < -3.0 * found.cosines["a", "b"].error
    assert found.metrics()["interference/a/b"] == matrix["a"]["b"]
    assert "interference/b/a" not in found.metrics()


def test_it_is_the_cosine_of_the_gradients_that_training_takes() -> None:
    """On-policy and without KL or entropy, a domain's probe has the gradient of an update with its groups alone."""
    policy = network()
    parts = named("a", 5, good=30), [*named("b", 3, good=30, first=9), *named("b", 4, good=31, first=3)]
    gradients = []
    for groups in parts:
        for moved, _ in step([replace(one, task=replace(one.task, domain="d")) for one in groups], policy=policy):
            gradients.append(flat_gradient(moved).double())
    exact = float(gradients[0] @ gradients[1] / (gradients[0].norm() * gradients[1].norm()))
    found = measured([*parts[0], *parts[1]], policy)
    assert found.matrix()["a"]["b"] == pytest.approx(exact, abs=0.02)
    assert found.domains["a"].gradient_norm == pytest.approx(float(gradients[0].norm()), rel=0.05)
    assert found.domains["a"].groups == 5


def test_micro_batches_make_no_difference() -> None:
    groups = [*named("a", 4, good=30), *named("b", 4, good=31, first=5)]
    assert measured(groups, tokens=6).matrix()["a"]["b"] == pytest.approx(measured(groups).matrix()["a"]["b"], abs=1e-6)


def test_nothing_of_the_policy_is_touched() -> None:
    policy = network()
    before = [parameter.clone() for parameter in policy.parameters()]
    torch.manual_seed(7)
    expected = torch.rand(3)
    torch.manual_seed(7)
    measured([*named("a", 4, good=30), *named("b", 4, good=31)], policy)
    assert torch.equal(torch.rand(3), expected), "the stream of chance goes on as before"
    assert all(parameter.grad is None for parameter in policy.parameters())
    assert all(torch.equal(old, new) for old, new in zip(before, policy.parameters(), strict=True))


def test_what_was_sampled_long_ago_still_counts() -> None:
    """A recipe with clips against the engine's values, which are far from the policy's here."""
    recipe = replace(GRPO, old_logprobs="engine", correction=correction.none, aggregation=aggregation.sequence_mean)
    found = measured([*named("a", 4, good=30), *named("b", 4, good=31)], recipe=recipe)
    assert found.matrix()["a"]["b"] < -0.9
    assert found.domains["a"].kl > 0.0
    assert 0.0 < found.domains["a"].entropy < torch.log(torch.tensor(40.0))


def test_a_domain_without_signal_is_left_out() -> None:
    quiet = [replace(one, verdicts=[Verdict(1.0, "correct")] * len(one.rollouts)) for one in named("quiet", 4, good=30)]
    found = measured([*named("a", 4, good=30), *quiet])
    assert found.matrix() == {}
    assert list(found.domains) == ["a"]
    assert set(found.metrics()) == {"probe/a/entropy", "probe/a/kl", "probe/a/gradient_norm"}


def test_two_ranks_find_what_one_finds(tmp_path, root) -> None:
    """Sharded by FSDP2, where some parts have a group for one rank alone."""
    alone = measured([*named("a", 5, good=30), *named("b", 4, good=31, first=5)]).metrics()
    command = [sys.executable, "-c", TWO_RANKS]
    ranks = [
        subprocess.Popen(
            [*command, str(rank), str(tmp_path / "meeting")],
            cwd=root,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for rank in range(2)
    ]
    try:
        for process in ranks:
            out, errors = process.communicate(timeout=240)
            assert process.returncode == 0, errors
            assert json.loads(out) == pytest.approx(alone, abs=1e-5)
    finally:
        for process in ranks:
            process.kill()
