"""One step's optimizer updates: micro-batches forward and backward, clip, step."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from rlpt.collectives import gather, largest
from rlpt.policy.network import PolicyNetwork
from rlpt.policy.packing import PackedBatch, pack
from rlpt.records import Rollout
from rlpt.training.recipe import Recipe
from rlpt.training.weigh import Weighed

Numbered = Sequence[Sequence[tuple[int, Rollout]]]
"""The rollouts of this rank, group by group, each with its number in the step."""


@dataclass(slots=True)
class Totals:
    """Sums over the action tokens that this rank computed."""

    tokens: int = 0
    computed: int = 0
    loss: float = 0.0
    entropy: float = 0.0
    clipped: float = 0.0
    correction: float = 0.0
    kl: float = 0.0
    mismatch: float = 0.0
    mismatch_max: float = 0.0

    def metrics(self) -> dict[str, float]:
        """Means over the tokens of all ranks, by metric name. All ranks must call this together."""
        ranks = gather(self)
        tokens = max(sum(one.tokens for one in ranks), 1)
        computed = max(sum(one.computed for one in ranks), 1)
        return {
            "rl/loss": sum(one.loss for one in ranks),
            "rl/entropy": sum(one.entropy for one in ranks) / tokens,
            "rl/clipped": sum(one.clipped for one in ranks) / tokens,
            "rl/correction": sum(one.correction for one in ranks) / tokens,
            "rl/kl": sum(one.kl for one in ranks) / tokens,
            "mismatch/mean": sum(one.mismatch for one in ranks) / tokens,
            "mismatch/max": max(one.mismatch_max for one in ranks),
            "perf/trained_tokens": float(computed),
            "perf/action_token_share": tokens / computed,
        }


class Updater:
    """Turns weighed rollouts into optimizer updates of `network`."""

    def __init__(
        self,
        network: PolicyNetwork,
        reference: PolicyNetwork | None,
        recipe: Recipe,
        tokens_per_micro_batch: int,
        backward: Callable[[Tensor], None],
        device: torch.device,
    ) -> None:
        """`reference` is needed where the recipe has a KL term; `backward` is Lightning's manual_backward."""
        self.network = network
        self.reference = reference
        self.recipe = recipe
        self.tokens_per_micro_batch = tokens_per_micro_batch
        self.backward = backward
        self.device = device

    def gradients(self, rollouts: Numbered, weighed: Weighed) -> Iterator[Totals]:
        """Leave the gradient of each update of the step on the network, one after the other.

        The caller steps the optimizer and clears the gradient between two. An update without any contributing token
        on any rank is left out. All ranks take part in every update, also a rank that has nothing to add.
        """
        plans = [self._plan(rollouts, weighed, number) for number in range(self.recipe.updates_per_step)]
        # With one update the policy has not moved since the step began: its own values are the old ones.
        olds = [self._old(batches) if len(plans) > 1 else [None] * len(batches) for batches in plans]
        for batches, old in zip(plans, olds, strict=True):
            if batches:
                yield self._accumulate(batches, old, weighed)

    def _plan(self, rollouts: Numbered, weighed: Weighed, number: int) -> list[PackedBatch]:
        """This rank's micro-batches of one update: as many on every rank, or collectives would hang."""
        chosen = weighed.contributes & (weighed.update == number)
        groups = [[(index, rollout) for index, rollout in group if chosen[index]] for group in rollouts]
        batches = pack(groups, self.tokens_per_micro_batch)
        missing = largest(len(batches)) - len(batches)
        return batches + [PackedBatch.idle(rollouts[0][0][1].prompt_ids)] * missing

    def _old(self, batches: Sequence[PackedBatch]) -> list[Tensor | None]:
        with torch.no_grad():
            return [self.network(batch.to(self.device))[0] for batch in batches]

    def _accumulate(self, batches: Sequence[PackedBatch], olds: Sequence[Tensor | None], weighed: Weighed) -> Totals:
        totals = Totals()
        for number, (batch, old) in enumerate(zip(batches, olds, strict=True)):
            self.network.hold_gradients(last=number == len(batches) - 1)
            loss = self._loss(batch.to(self.device), old, weighed, totals)
            self.backward(loss)
        return totals

    def _loss(self, batch: PackedBatch, old: Tensor | None, weighed: Weighed, totals: Totals) -> Tensor:
        new, entropy = self.network(batch)
        old = new.detach() if old is None else old
        weights = weighed.weights.to(self.device)[batch.rollout]
        correction = self.recipe.correction(old, batch.engine)
        token = self.recipe.loss(new, old, weighed.advantages.to(self.device)[batch.rollout])
        losses = token.loss * correction
        kl = torch.zeros_like(new)
        if self.reference is not None:
            with torch.no_grad():
                reference = self.reference(batch)[0]
            kl = self.recipe.kl_estimator(new, reference)
            losses = losses + self.recipe.kl_coefficient * kl
        loss = (losses * weights).sum()
        mismatch = (old - batch.engine).abs()
        totals.tokens += len(batch.targets)
        totals.computed += len(batch.input_ids)
        totals.loss += float(loss.detach())
        totals.entropy += float(entropy.sum())
        totals.clipped += float(token.clipped.sum())
        totals.correction += float(correction.sum())
        totals.kl += float(kl.detach().sum())
        totals.mismatch += float(mismatch.sum())
        totals.mismatch_max = max(totals.mismatch_max, float(mismatch.max()) if len(mismatch) else 0.0)
        return loss
