"""The Lightning module of a training run. `training_step` is the whole method on one screen."""

from __future__ import annotations

from pathlib import Path

from lightning import LightningModule
from omegaconf import DictConfig
from torch.optim import Optimizer

from rlpt.actors import Actors
from rlpt.collectives import share, unshare
from rlpt.domains.mixture import Mixture
from rlpt.policy.network import PolicyNetwork, load_network, shard
from rlpt.records import Group
from rlpt.training.clock import Clock
from rlpt.training.metrics import step_metrics
from rlpt.training.optimizer import apply_update, build_optimizer
from rlpt.training.recipe import build_recipe
from rlpt.training.seeds import derive
from rlpt.training.sync import WeightSync
from rlpt.training.update import Numbered, Updater
from rlpt.training.weigh import Weighed, weigh


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
        self.recipe = build_recipe(cfg.algorithm)
        self.clock = Clock()
        self.step = 0
        self.updates = 0
        self.last = False
        self.metrics: dict[str, float] = {}
        self.groups: list[Group] = []
        self.advantages: list[list[float]] = []

    def configure_model(self) -> None:
        """Load the policy, and the frozen reference where there is a KL term, and shard both over the ranks."""
        self.network = self._load()
        self.reference = self._load().requires_grad_(False) if self.recipe.kl_coefficient else None

    def configure_optimizers(self) -> Optimizer:
        """AdamW on the fp32 weights; the learning rate is set before each update."""
        return build_optimizer(self.network, self.cfg.algorithm.optimizer)

    def training_step(self, step: int, batch_idx: int) -> None:
        """One RL step: take tasks, roll out, score, weigh, update, hand the weights to the engine."""
        self.step = step
        tasks = share([(f"step-{step}/{number}", task) for number, task in enumerate(self.mixture.take(step))])
        with self.clock.phase("sample"):
            groups = self.actors.roll_out(tasks, self.recipe.group_size, derive(self.cfg.seed, "train", step))
        with self.clock.phase("score"):
            groups = self.actors.score(groups)
        everything = unshare(groups)
        weighed = weigh(everything, self.recipe)
        with self.clock.phase("update"):
            update = self._update(_numbered(everything, groups), weighed)
        with self.clock.phase("sync"):
            self.sync.push(self.network, version=step)
        self.groups, self.advantages = everything, weighed.by_group(everything)
        self.metrics = step_metrics(everything, weighed, update, self.clock.take())

    def _update(self, rollouts: Numbered, weighed: Weighed) -> dict[str, float]:
        updater = Updater(
            self.network,
            self.reference,
            self.recipe,
            self.cfg.hardware.tokens_per_micro_batch,
            self.manual_backward,
            self.device,
        )
        metrics: dict[str, float] = {}
        before, trained = self.updates, 0.0
        for totals in updater.gradients(rollouts, weighed):
            options = self.cfg.algorithm.optimizer
            metrics |= totals.metrics() | apply_update(self.network, self.optimizers(), options, self.updates)
            trained += metrics["perf/trained_tokens"]
            self.updates += 1
        return metrics | {"rl/updates": float(self.updates - before), "perf/trained_tokens": trained}

    def _load(self) -> PolicyNetwork:
        policy = self.cfg.policy
        network = load_network(self.folder, policy.dtype, self.cfg.sampler.temperature, policy.context_length)
        assert self.device_mesh is not None, "the strategy is ModelParallelStrategy"
        shard(network, self.device_mesh["data_parallel"])
        return network


def _numbered(everything: list[Group], own: list[Group]) -> Numbered:
    """This rank's rollouts, each with its number among those of all ranks."""
    mine = {group.group_id for group in own}
    numbered, number = [], 0
    for group in everything:
        if group.group_id in mine:
            numbered.append([(number + index, rollout) for index, rollout in enumerate(group.rollouts)])
        number += len(group.rollouts)
    return numbered
