"""The updates of the critic in a step, beside those of the policy."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from rlpt.algorithms.critic import value_loss
from rlpt.algorithms.sequences import token_index
from rlpt.collectives import gather
from rlpt.policy.packing import PackedBatch
from rlpt.policy.sharding import hold_gradients
from rlpt.policy.value import ValueNetwork
from rlpt.training.weigh import Weighed


@dataclass(frozen=True, slots=True)
class CriticUpdater:
    """Turns weighed rollouts into updates of `critic`; `backward` is Lightning's manual_backward."""

    critic: ValueNetwork
    clip: float
    backward: Callable[[Tensor], None]
    device: torch.device

    def gradients(
        self, updates: Sequence[Sequence[PackedBatch]], weighed: Weighed, values: Tensor
    ) -> Iterator[dict[str, float]]:
        """Leave the gradient of each update's micro-batches on the critic, one update after the other.

        `values [A]`: of the step's beginning. Yields what was measured. All ranks take part.
        """
        weighed, values = weighed.to(self.device), values.to(self.device)
        for batches in updates:
            if batches:
                loss = 0.0
                for number, batch in enumerate(batches):
                    hold_gradients(self.critic, last=number == len(batches) - 1)
                    loss += self._backward(batch.to(self.device), weighed, values)
                yield {"rl/value_loss": sum(gather(loss))}

    def _backward(self, batch: PackedBatch, weighed: Weighed, values: Tensor) -> float:
        assert weighed.returns is not None
        place = token_index(batch.rollout, weighed.offsets)
        losses = value_loss(self.critic(batch), values[place], weighed.returns[place], clip=self.clip)
        loss = (losses * weighed.weights[batch.rollout]).sum()
        self.backward(loss)
        return float(loss.detach())
