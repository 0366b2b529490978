"""rlpt's side of `trl_gradients.py`: a model, completions, and the gradients of a step as training has them."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import torch
from torch import Tensor
from transformers import Qwen2Config, Qwen2ForCausalLM
from transformers.utils import logging as transformers_logging

from rlpt.config.preflight import compose_config
from rlpt.policy.network import PolicyNetwork, load_network
from rlpt.policy.packing import pack
from rlpt.records import Group, Rollout, Task, Verdict
from rlpt.training.before import look_before
from rlpt.training.micro_batches import micro_batches, own_rollouts
from rlpt.training.recipe import Recipe, build_recipe
from rlpt.training.scores import score
from rlpt.training.update import Updater
from rlpt.training.weigh import no_moments, weigh

VOCABULARY, END = 97, 0
LIMIT = 40
"""Most tokens of a completion."""
GROUP_SIZE = 4
TEMPERATURE = 0.8
MICRO_BATCH_TOKENS = 150
STEP_LENGTH = 0.2
REWARDS: list[list[float]] = [
    [1, 0, 0, 1],
    [1, 1, 1, 1],
    [0.25, 0, 1, 0.5],
    [0, 1, 0, 0],
    [1, 1, 0, 1],
    [0.5, 0.75, 0, 0],
]
"""One list a group. All of the second are equal: they teach nothing, but their tokens are in denominators."""

Gradient = Mapping[str, Tensor]


@dataclass(frozen=True, slots=True)
class Update:
    """One update: its gradient by parameter, its tokens, and the share of them that a bound clipped."""

    gradient: Gradient
    tokens: int
    clipped: float


def save_model(folder: Path, seed: int) -> None:
    """Write a tiny model of random weights, larger ones than usual so that gradients are no rounding errors."""
    transformers_logging.disable_progress_bar()
    torch.manual_seed(seed)
    config = Qwen2Config(
        vocab_size=VOCABULARY,
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=128,
        initializer_range=0.15,
        tie_word_embeddings=True,
        eos_token_id=END,
    )
    Qwen2ForCausalLM(config).save_pretrained(folder)


def load(folder: Path) -> PolicyNetwork:
    """The policy as training loads it."""
    return load_network(folder, "float32", TEMPERATURE, context_length=128)


def make_groups(folder: Path, seed: int) -> list[Group]:
    """Completions of 2 to 40 tokens, a quarter of them truncated, with an engine that is off by some 0.3 nats."""
    source, network = random.Random(seed), load(folder)
    groups = []
    for number, rewards in enumerate(REWARDS):
        name, prompt = str(number), _words(source, 3, 12)
        rollouts = []
        for index in range(GROUP_SIZE):
            cut = index == number % GROUP_SIZE and number != 1
            ids = _words(source, LIMIT, LIMIT) if cut else [*_words(source, 1, LIMIT - 12 * (number == 1) - 1), END]
            own = Rollout(name, name, index, prompt, ids, [0.0] * len(ids), [1] * len(ids), [0] * len(ids), "stop", "")
            engine = [value + source.gauss(0.0, 0.3) for value in _logprobs(network, own)]
            rollouts.append(replace(own, logprobs=engine, finish_reason="length" if cut else "stop"))
        verdicts = [Verdict(float(reward), "correct" if reward else "wrong") for reward in rewards]
        groups.append(Group(name, Task("d", name, [], {}), rollouts, verdicts))
    return groups


def recipe_of(overrides: Sequence[str], updates: int) -> Recipe:
    """The recipe that `rlpt train` composes from these words."""
    fixed = ["policy=tiny", f"algorithm.group_size={GROUP_SIZE}", f"algorithm.updates_per_step={updates}"]
    return build_recipe(compose_config("train", [*fixed, *overrides]).algorithm, LIMIT)


def gradients(folder: Path, groups: Sequence[Group], recipe: Recipe) -> list[Update]:
    """The updates of one step, after each of which the policy goes `STEP_LENGTH` against the gradient."""
    network, device = load(folder), torch.device("cpu")
    scores = score(groups, recipe, {"d": LIMIT}, version=0)
    weighed = weigh(scores, recipe, no_moments(1))
    rollouts = own_rollouts(groups, weighed.contributes, scores.update)
    batches = micro_batches(rollouts, weighed.contributes, MICRO_BATCH_TOKENS)
    before = look_before(batches, network, None, None, recipe, scores.offsets, device)
    updates = [
        micro_batches(rollouts, weighed.contributes & (weighed.update == update), MICRO_BATCH_TOKENS)
        for update in range(recipe.updates_per_step)
    ]
    found = []
    updater = Updater(network, recipe, lambda loss: loss.backward(), device, version=0)
    for number, totals in enumerate(updater.gradients(updates, weighed, before)):
        parts = {name: value.grad for name, value in network.model.named_parameters()}
        gradient = {name: value.clone() for name, value in parts.items() if value is not None}
        taking = scores.valid & (scores.update == number)
        found.append(Update(gradient, int(scores.lengths[taking].sum()), totals.metrics()["rl/clipped"]))
        move(network, gradient)
        network.zero_grad()
    return found


@torch.no_grad()
def move(network: PolicyNetwork, gradient: Gradient) -> None:
    """Go a step of `STEP_LENGTH` against the gradient, whatever its norm."""
    length = norm(gradient)
    for name, value in network.model.named_parameters():
        value.sub_(gradient[name] * (STEP_LENGTH / length))


def under_mean_denominator(updates: Sequence[Update]) -> list[Update]:
    """Token means over an update as if every update of the step had the mean of their tokens."""
    mean = sum(update.tokens for update in updates) / len(updates)
    return [
        replace(one, gradient={name: value * (one.tokens / mean) for name, value in one.gradient.items()})
        for one in updates
    ]


def norm(gradient: Gradient) -> float:
    """The Euclidean norm over all parameters."""
    return float(torch.stack([value.double().norm() for value in gradient.values()]).norm())


def relative_difference(ours: Gradient, theirs: Gradient) -> float:
    """The norm of what lies between two gradients of the same parameters, over the norm of the second.

    Raises:
        ValueError: where the two have other parameters.
    """
    if ours.keys() != theirs.keys():
        raise ValueError(f"not the same parameters: {sorted(ours.keys() ^ theirs.keys())}")
    return norm({name: ours[name].double() - theirs[name].double() for name in ours}) / norm(theirs)


def _words(source: random.Random, fewest: int, most: int) -> list[int]:
    return [source.randrange(1, VOCABULARY) for _ in range(source.randint(fewest, most))]


def _logprobs(network: PolicyNetwork, rollout: Rollout) -> list[float]:
    with torch.no_grad():
        values: list[float] = network(pack([[(0, rollout)]], 1)[0], "none")[0].tolist()
    return values
