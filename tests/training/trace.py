"""Fifty updates of the tiny policy on rollouts that a seed makes: what `test_trace.py` compares with a record.

    python -m tests.training.trace

makes the record anew, after a change of a formula that is meant. Nothing is sampled and no weights are loaded: rewards,
token ids and the engine's log-probabilities come from a seed, as the first weights do, so that a trace says nothing of
an engine or of how a library fills its layers. Everything from the verdicts to the weights is what a run executes.
"""

from __future__ import annotations

import json
import random
import tempfile
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

import numpy as np
import torch
from lightning import LightningModule, Trainer
from lightning.fabric.plugins.environments.lightning import LightningEnvironment
from omegaconf import DictConfig
from torch.optim import Optimizer

from rlpt.config.preflight import compose_config
from rlpt.policy.network import PolicyNetwork, load_network
from rlpt.policy.tiny import VOCABULARY, write_fresh_model
from rlpt.policy.value import ValueNetwork
from rlpt.records import Group, Rollout, Task, Verdict
from rlpt.training.before import look_before
from rlpt.training.critic import CriticUpdater
from rlpt.training.fitting import quiet_lightning
from rlpt.training.micro_batches import micro_batches, own_rollouts
from rlpt.training.optimizer import apply_update, build_optimizer, critic_options
from rlpt.training.recipe import build_recipe
from rlpt.training.scores import score
from rlpt.training.update import Updater
from rlpt.training.weigh import no_moments, weigh

FILE = Path(__file__).parent / "data" / "trace.json"
UPDATES = 50
GROUPS_PER_STEP = 8
GROUP_SIZE = 3
MICRO_BATCH_TOKENS = 64
SEED = 4000
"""One with which no ratio comes so near to a bound that rounding decides on which side it lies."""

LIMITS = {"sums": 8, "words": 6}

ALL = ("sampler.temperature=0.8", "algorithm.optimizer.learning_rate=5e-4", "algorithm.optimizer.max_grad_norm=5")
"""A temperature that is not 1, and a bound that some gradients reach."""

CASES: Mapping[str, Sequence[str]] = {
    "grpo": ("algorithm=grpo",),
    "grpo with KL and entropy": (
        "algorithm=grpo",
        "algorithm.updates_per_step=2",
        "algorithm.kl.coefficient=0.1",
        "algorithm.entropy_coefficient=0.1",
    ),
    "dapo": (
        "algorithm=dapo",
        "algorithm.updates_per_step=2",
        "algorithm.old_logprobs=engine",
        "algorithm/correction=none",
    ),
    "ppo": ("algorithm=ppo", "algorithm.updates_per_step=2", "algorithm.kl.coefficient=0.05"),
}
"""What is traced: the default recipe as it is, and others that bring its other terms into play."""

Trace = dict[str, list[float]]
"""A list of 50 values for each of `loss`, `gradient_norm` and, of a critic, `value_loss` and `value_gradient_norm`."""


def main() -> None:
    """Write the record."""
    FILE.write_text(json.dumps({name: rounded(trace(name)) for name in CASES}, indent=1) + "\n")


def rounded(values: Trace) -> Trace:
    """What an fp32 value holds, and no digit more."""
    return {name: [float(f"{value:.7g}") for value in one] for name, one in values.items()}


def recorded() -> dict[str, Trace]:
    """The record."""
    found: dict[str, Trace] = json.loads(FILE.read_text())
    return found


def trace(name: str, changes: Sequence[str] = (), updates: int = UPDATES, noise: float = 0.0) -> Trace:
    """Run the case with some overrides more. Each first weight is a share of up to `noise` larger or smaller."""
    cfg = compose_config("train", ["policy=tiny", *ALL, *CASES[name], *changes])
    training = Training(cfg, noise)
    quiet_lightning()
    trainer = Trainer(
        accelerator="cpu",
        devices=1,
        plugins=[LightningEnvironment()],
        max_epochs=1,
        logger=False,
        enable_checkpointing=False,
        enable_progress_bar=False,
        enable_model_summary=False,
    )
    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # so small a model is faster with one, and many times where others compute too
    try:
        trainer.fit(training, range(updates // cfg.algorithm.updates_per_step))
    finally:
        torch.set_num_threads(threads)
    return {name: values for name, values in training.found.items() if values}


def step_groups(step: int) -> list[Group]:
    """A step's groups: of two domains, some with a tool's tokens, and one of each kind that teaches less or nothing."""
    source = random.Random(SEED + step)
    return [_group(f"{step}/{place}", place, source) for place in range(GROUPS_PER_STEP)]


def _group(name: str, place: int, source: random.Random) -> Group:
    domain = list(LIMITS)[place % 2]
    task = Task(domain, name, [], {})
    prompt = _tokens(source, source.randint(3, 6))
    rollouts = [_rollout(name, index, prompt, LIMITS[domain], place, source) for index in range(GROUP_SIZE)]
    rewards: list[float | None] = [float(source.random() < 0.5) for _ in rollouts]
    if domain == "words":
        rewards = [round(source.random(), 2) for _ in rollouts]
    if place == 3:
        rewards = [1.0] * GROUP_SIZE
    if place == 4:
        rewards[1] = None
    return Group(name, task, rollouts, [Verdict(reward, "correct" if reward else "wrong") for reward in rewards])


def _rollout(group: str, index: int, prompt: list[int], limit: int, place: int, source: random.Random) -> Rollout:
    length = 0 if place == 5 and index == 0 else source.randint(1, limit)
    # Every third group has several turns; the policy's last word is its own.
    actions = [int(place % 3 != 2 or at % 3 != 1 or at == length - 1) for at in range(length)]
    return Rollout(
        group,
        group,
        index,
        prompt,
        _tokens(source, length),
        [source.uniform(-8.0, -6.0) for _ in range(length)],
        actions,
        [0] * length,
        "length" if length == limit else "stop",
        "",
    )


def _tokens(source: random.Random, count: int) -> list[int]:
    return [source.randrange(VOCABULARY) for _ in range(count)]


@cache
def model_folder() -> Path:
    """The architecture of `policy=tiny`."""
    folder = Path(tempfile.mkdtemp(prefix="rlpt-trace-"))
    write_fresh_model(["one two three"], folder, seed=0)
    return folder


def network(cfg: DictConfig, seed: int, noise: float = 0.0) -> PolicyNetwork:
    """The tiny policy with weights of this seed, by a generator whose numbers are the same everywhere and for ever."""
    policy = load_network(model_folder(), "float32", cfg.sampler.temperature, cfg.policy.context_length)
    source, noises = np.random.RandomState(seed), np.random.RandomState(1000)
    with torch.no_grad():
        for _, weight in sorted(policy.named_parameters()):
            value = source.standard_normal(weight.shape) * 0.06 + (weight.ndim == 1)
            value *= 1.0 + noise * noises.uniform(-1.0, 1.0, weight.shape)
            weight.copy_(torch.from_numpy(value))
    return policy


class Training(LightningModule):
    """A run's step without sampler and sandbox."""

    def __init__(self, cfg: DictConfig, noise: float) -> None:
        super().__init__()
        self.automatic_optimization = False
        self.cfg = cfg
        self.recipe = build_recipe(cfg.algorithm, max(LIMITS.values()))
        self.policy = network(cfg, 0, noise)
        # Not the policy itself, so that the KL counts from the first step on.
        self.reference = network(cfg, 1).requires_grad_(False) if self.recipe.kl.coefficient else None
        self.critic = None if self.recipe.value_clip is None else ValueNetwork(network(cfg, 0, noise))
        self.moments = no_moments(len(LIMITS))
        self.found: Trace = {"loss": [], "gradient_norm": [], "value_loss": [], "value_gradient_norm": []}

    def configure_optimizers(self) -> list[Optimizer]:
        """The policy's and, where there is a critic, its own."""
        found: list[Optimizer] = [build_optimizer(self.policy, self.cfg.algorithm.optimizer)]
        return (
            found if self.critic is None else [*found, build_optimizer(self.critic, critic_options(self.cfg.algorithm))]
        )

    def training_step(self, step: int, batch_idx: int) -> None:
        """Score, weigh, update."""
        recipe, groups = self.recipe, step_groups(step)
        scores = score(groups, recipe, LIMITS, version=0)
        rollouts = own_rollouts(groups, scores.valid, scores.update)
        batches = micro_batches(rollouts, scores.valid, MICRO_BATCH_TOKENS)
        models = (self.policy, self.reference, self.critic)
        before = look_before(batches, *models, recipe, scores.offsets, self.device)
        weighed = weigh(scores, recipe, self.moments, before.kl, before.values)
        self.moments = weighed.moments
        updates = [
            micro_batches(rollouts, weighed.contributes & (weighed.update == update), MICRO_BATCH_TOKENS)
            for update in range(recipe.updates_per_step)
        ]
        updater = Updater(self.policy, recipe, self.manual_backward, self.device, version=0)
        for totals in updater.gradients(updates, weighed, before):
            self._record("loss", totals.metrics()["rl/loss"], self.policy, 0)
        if self.critic is not None:
            critic = CriticUpdater(self.critic, recipe.value_clip, self.manual_backward, self.device)
            for measured in critic.gradients(updates, weighed, before.values):
                self._record("value_loss", measured["rl/value_loss"], self.critic, 1)

    def _record(self, name: str, loss: float, model: PolicyNetwork | ValueNetwork, optimizer: int) -> None:
        """Take an optimizer step, and write down the loss and the norm of the gradient."""
        found = self.optimizers()
        optimizers = found if isinstance(found, list) else [found]
        options = self.cfg.algorithm.optimizer if model is self.policy else critic_options(self.cfg.algorithm)
        measured = apply_update(model, optimizers[optimizer], options, updates_before=len(self.found[name]))
        self.found[name].append(loss)
        self.found[name.replace("loss", "gradient_norm")].append(measured["rl/gradient_norm"])


if __name__ == "__main__":
    main()
