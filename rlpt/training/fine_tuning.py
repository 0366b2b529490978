"""The Lightning module of supervised fine-tuning: the likelihood of the domains' demonstrations is raised."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

from lightning import LightningModule
from omegaconf import DictConfig
from torch.optim import Optimizer

from rlpt.collectives import gather, largest, share
from rlpt.policy.network import PolicyNetwork, load_network
from rlpt.policy.packing import PackedBatch, pack
from rlpt.policy.sharding import hold_gradients, shard
from rlpt.records import Rollout
from rlpt.training.optimizer import apply_update, build_optimizer
from rlpt.training.seeds import derive


class FineTuning(LightningModule):
    """Each step takes `batch_size` demonstrations and lowers the mean cross-entropy of their tokens."""

    def __init__(
        self,
        folder: Path,
        policy: DictConfig,
        hardware: DictConfig,
        options: DictConfig,
        data: Sequence[Rollout],
        seed: int,
    ) -> None:
        """`options` is the node `sft`; `data` are demonstrations in the shape of rollouts."""
        super().__init__()
        self.automatic_optimization = False
        self.folder, self.policy, self.hardware, self.options = folder, policy, hardware, options
        self.data = data
        self.seed = seed
        self.losses: list[float] = []

    def configure_model(self) -> None:
        """Load the policy and shard it where there is a device mesh."""
        self.network: PolicyNetwork = load_network(
            self.folder,
            self.policy.dtype,
            1.0,
            self.policy.context_length,
            self.hardware.activations,
            self.hardware.logits_mib,
        )
        if self.device_mesh is not None:
            shard(self.network, self.device_mesh["data_parallel"])

    def configure_optimizers(self) -> Optimizer:
        """AdamW on the fp32 weights."""
        return build_optimizer(self.network, self.options.optimizer)

    def training_step(self, step: int, batch_idx: int) -> None:
        """One update."""
        chosen = self._demonstrations(step)
        tokens = sum(rollout.actions for rollout in chosen)
        batches = self._batches(share(chosen))
        loss = 0.0
        for number, batch in enumerate(batches):
            hold_gradients(self.network, last=number == len(batches) - 1)
            logprobs, _ = self.network(batch.to(self.device))
            part = -logprobs.sum() / tokens
            self.manual_backward(part)
            loss += float(part.detach())
        apply_update(self.network, self.optimizers(), self.options.optimizer, len(self.losses))
        self.losses.append(sum(gather(loss)))
        self.trainer.should_stop = step >= self.options.steps

    def _demonstrations(self, step: int) -> list[Rollout]:
        """The batch of one step: epochs over the data, each in an order of its own."""
        size, count = self.options.batch_size, len(self.data)
        places = range((step - 1) * size, step * size)
        return [self.data[self._order(place // count)[place % count]] for place in places]

    def _order(self, epoch: int) -> list[int]:
        order = list(range(len(self.data)))
        random.Random(derive(self.seed, "sft", epoch)).shuffle(order)
        return order

    def _batches(self, rollouts: Sequence[Rollout]) -> list[PackedBatch]:
        batches = pack(
            [[(number, rollout)] for number, rollout in enumerate(rollouts)], self.hardware.tokens_per_micro_batch
        )
        return batches + [PackedBatch.idle()] * (largest(len(batches)) - len(batches))
