"""The Lightning module of a training run. `training_step` is the whole method on one screen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, TypeVar

import torch
from lightning import LightningModule
from omegaconf import DictConfig
from torch import nn
from torch.optim import Optimizer

from rlpt.actors import Actors
from rlpt.collectives import share, unshare
from rlpt.domains.mixture import Mixture, Turn
from rlpt.policy.network import PolicyNetwork, load_network
from rlpt.policy.packing import Numbered
from rlpt.policy.sharding import shard
from rlpt.policy.value import ValueNetwork
from rlpt.records import Group, Task
from rlpt.training.before import Before, look_before, move_reference
from rlpt.training.clock import Clock
from rlpt.training.critic import CriticUpdater
from rlpt.training.gathering import Gathering
from rlpt.training.interference import Interference
from rlpt.training.metrics import step_metrics, update_metrics
from rlpt.training.micro_batches import micro_batches, own_rollouts
from rlpt.training.optimizer import apply_update, build_optimizer, critic_options
from rlpt.training.recipe import build_recipe
from rlpt.training.scores import Scores, score
from rlpt.training.seeds import sampling_seed
from rlpt.training.stream import RolloutStream
from rlpt.training.sync import WeightSync
from rlpt.training.update import Updater
from rlpt.training.weigh import Weighed, no_moments, weigh

Network = TypeVar("Network", PolicyNetwork, ValueNetwork)


class PolicyTraining(LightningModule):
    """Trains one policy with the rollouts of its own engine.

    `step` is the RL step (`rl/step`), which Lightning's `global_step`, the number of optimizer updates, is not.
    After each step `metrics`, `groups` and `advantages` hold what happened, for the callbacks that record it.
    """

    def __init__(self, cfg: DictConfig, folder: Path, actors: Actors, mixture: Mixture, sync: WeightSync) -> None:
        super().__init__()
        self.automatic_optimization = False
        self.cfg = cfg
        self.folder = folder
        self.actors = actors
        self.mixture = mixture
        self.sync = sync
        self.recipe = build_recipe(cfg.algorithm, max(actors.max_new_tokens.values()))
        self.stream = RolloutStream(actors, self.recipe)
        self.clock = Clock()
        self.step = 0
        self.updates = 0
        self.learning_rate_scale = 1.0
        self.taken = 0  # times that tasks were taken from the mixture; more than steps where groups are resampled
        self.turns: list[Turn] = []  # of the mixture
        self.moments = no_moments(len(actors.max_new_tokens))
        self.last = False
        self.metrics: dict[str, float] = {}
        self.groups: list[Group] = []
        self.advantages: list[list[float]] = []
        self.interference: Interference | None = None  # of the last evaluation that measured it

    def configure_model(self) -> None:
        """Load the policy, the reference and the critic where the recipe has them, and shard them over the ranks."""
        self.network = self._shard(self._load())
        self.reference = self._shard(self._load()).requires_grad_(False) if self.recipe.kl.coefficient else None
        self.critic = None if self.recipe.value_clip is None else self._shard(ValueNetwork(self._load()))

    def configure_optimizers(self) -> list[Optimizer]:
        """AdamW on the fp32 weights, the policy's first; the learning rate is set before each update."""
        optimizers: list[Optimizer] = [build_optimizer(self.network, self.cfg.algorithm.optimizer)]
        if self.critic is not None:
            optimizers.append(build_optimizer(self.critic, critic_options(self.cfg.algorithm)))
        return optimizers

    def training_step(self, step: int, batch_idx: int) -> None:
        """One RL step: take tasks, roll out, score, weigh, update, hand the weights to the engine."""
        self.step = step
        gathering = Gathering(step, self.mixture.tasks_per_step, self.recipe, version=step - 1)
        while not gathering.full:
            tasks = share(self._take_tasks(gathering.rounds))
            with self.clock.phase("sample"):
                groups = self.stream.roll_out(tasks, sampling_seed(self.cfg.seed, self.taken, self.turns))
            with self.clock.phase("score"):
                gathering.add(unshare(self.actors.score(groups)))
        groups = gathering.groups
        scores = score(groups, self.recipe, self.actors.max_new_tokens, version=step - 1)
        with self.clock.phase("update"):
            own, before, weighed = self._prepare(groups, scores)
            update = self._update(own, weighed, before)
        with self.clock.phase("sync"):
            self.sync.push(self.network, version=step)
        self.moments, self.groups, self.advantages = weighed.moments, groups, weighed.by_group(groups)
        sampled = self.stream.take_metrics()
        self.metrics = step_metrics(groups, weighed, update | sampled, self.clock.take(), step - 1)
        self.metrics |= gathering.metrics()

    def progress(self) -> dict[str, Any]:
        """What a checkpoint keeps besides weights, as plain values. All ranks must call this together."""
        return {
            "updates": self.updates,
            "learning_rate_scale": self.learning_rate_scale,
            "taken": self.taken,
            "turns": [asdict(turn) for turn in self.turns],
            "moments": self.moments.tolist(),
            "unfinished": self.stream.state(),
        }

    def resume(self, step: int, progress: Mapping[str, Any]) -> None:
        """Go on after `step` from a checkpoint's `progress`."""
        self.step, self.updates, self.taken = step, progress["updates"], progress["taken"]
        self.turns = [Turn(**turn) for turn in progress["turns"]]
        self.learning_rate_scale = progress["learning_rate_scale"]
        self.moments = torch.tensor(progress["moments"], dtype=self.moments.dtype)
        self.stream.resume(progress["unfinished"])

    def companions(self) -> dict[str, tuple[nn.Module, Optimizer | None]]:
        """What a checkpoint keeps besides the policy: the critic with its optimizer, and a reference that moves."""
        found: dict[str, tuple[nn.Module, Optimizer | None]] = {}
        if self.critic is not None:
            found["critic"] = self.critic, self.trainer.optimizers[1]
        if self.reference is not None and self.recipe.kl.reference_every:
            found["reference"] = self.reference, None
        return found

    def _take_tasks(self, rounds: int) -> list[tuple[str, Task]]:
        """The next tasks of the mixture, each with the id of its group, after so many `rounds` of the step."""
        self.taken += 1
        tasks, first = self.mixture.take(self.taken, self.turns), rounds * self.mixture.tasks_per_step
        return [(f"step-{self.step}/{number}", task) for number, task in enumerate(tasks, first)]

    def _prepare(self, groups: list[Group], scores: Scores) -> tuple[list[Numbered], Before, Weighed]:
        """This rank's rollouts, and what the updates need to know of all of them."""
        weighed = None if self.recipe.looks_first else weigh(scores, self.recipe, self.moments)
        chosen = scores.valid if weighed is None else weighed.contributes
        own = own_rollouts(groups, chosen, scores.update)
        before = Before()
        if self.recipe.looks:
            batches = micro_batches(own, chosen, self.cfg.hardware.tokens_per_micro_batch)
            models = (self.network, self.reference, self.critic)
            before = look_before(batches, *models, self.recipe, scores.offsets, self.device)
        return own, before, weighed or weigh(scores, self.recipe, self.moments, before.kl, before.values)

    def _update(self, own: list[Numbered], weighed: Weighed, before: Before) -> dict[str, float]:
        """Update the policy and the critic, and move the reference where it is due."""
        updates = [
            micro_batches(
                own, weighed.contributes & (weighed.update == update), self.cfg.hardware.tokens_per_micro_batch
            )
            for update in range(self.recipe.updates_per_step)
        ]
        found = self.optimizers()
        optimizers, algorithm = found if isinstance(found, list) else [found], self.cfg.algorithm
        measured: list[dict[str, float]] = []
        done, scale = self.updates, self.learning_rate_scale
        updater = Updater(self.network, self.recipe, self.manual_backward, self.device, self.step - 1)
        for totals in updater.gradients(updates, weighed, before):
            own_metrics = totals.metrics()
            own_metrics |= apply_update(self.network, optimizers[0], algorithm.optimizer, self.updates, scale)
            measured.append(own_metrics)
            self.updates += 1
        if self.critic is not None and before.values is not None:
            critic = CriticUpdater(self.critic, algorithm.critic.value_clip, self.manual_backward, self.device)
            for update, value_loss in enumerate(critic.gradients(updates, weighed, before.values), done):
                apply_update(self.critic, optimizers[1], critic_options(algorithm), update, scale)
                measured[update - done] |= value_loss
        kl = self.recipe.kl
        if self.reference is not None and kl.reference_every and self.step % kl.reference_every == 0:
            move_reference(self.reference, self.network, kl.reference_mix, self.device)
        return update_metrics(measured)

    def _load(self) -> PolicyNetwork:
        policy, hardware = self.cfg.policy, self.cfg.hardware
        return load_network(
            self.folder,
            policy.dtype,
            self.cfg.sampler.temperature,
            policy.context_length,
            hardware.activations,
            hardware.logits_mib,
        )

    def _shard(self, network: Network) -> Network:
        assert self.device_mesh is not None, "the strategy is ModelParallelStrategy"
        shard(network, self.device_mesh["data_parallel"])
        return network
