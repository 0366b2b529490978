"""One step's optimizer updates: micro-batches forward and backward, clip, step."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from rlpt.algorithms.sequences import token_index
from rlpt.collectives import gather
from rlpt.policy.network import PolicyNetwork
from rlpt.policy.packing import PackedBatch
from rlpt.policy.sharding import hold_gradients
from rlpt.training.before import Before
from rlpt.training.recipe import Recipe
from rlpt.training.weigh import Weighed


@dataclass(slots=True)
class Totals:
    """Sums over the action tokens that this rank computed."""

    tokens: int = 0
    fresh: int = 0
    computed: int = 0
    loss: float = 0.0
    entropy: float = 0.0
    clipped: float = 0.0
    correction: float = 0.0
    kl: float = 0.0
    mismatch: float = 0.0
    mismatch_max: float = 0.0

    def add(
        self,
        batch: PackedBatch,
        logprobs: Tensor,
        entropy: Tensor,
        clipped: Tensor,
        correction: Tensor,
        kl: Tensor,
        version: int,
    ) -> None:
        """Count a micro-batch of `K` action tokens; each tensor is `[K]`.

        `logprobs` are compared with the engine's, of tokens that the policy `version` wrote.
        """
        fresh = batch.versions == version
        mismatch = (logprobs.detach() - batch.engine).abs()[fresh]
        self.fresh += len(mismatch)
        self.tokens += len(batch.targets)
        self.computed += len(batch.input_ids)
        self.entropy += float(entropy.detach().sum())
        self.clipped += float(clipped.sum())
        self.correction += float(correction.sum())
        self.kl += float(kl.detach().sum())
        self.mismatch += float(mismatch.sum())
        self.mismatch_max = max(self.mismatch_max, float(mismatch.max()) if len(mismatch) else 0.0)

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
            "mismatch/mean": sum(one.mismatch for one in ranks) / max(sum(one.fresh for one in ranks), 1),
            "mismatch/max": max(one.mismatch_max for one in ranks),
            "perf/trained_tokens": float(computed),
            "perf/action_token_share": tokens / computed,
        }


@dataclass(frozen=True, slots=True)
class Updater:
    """Turns weighed rollouts into updates of `network`; `backward` is Lightning's manual_backward.

    `version` is the policy version that is trained: what older ones wrote says nothing of the engine's agreement.
    """

    network: PolicyNetwork
    recipe: Recipe
    backward: Callable[[Tensor], None]
    device: torch.device
    version: int

    def gradients(self, updates: Sequence[Sequence[PackedBatch]], weighed: Weighed, before: Before) -> Iterator[Totals]:
        """Leave the gradient of each update's micro-batches on the network, one update after the other.

        The caller steps the optimizer and clears the gradient between two. An update without any contributing token
        on any rank is left out. All ranks take part in every update, also a rank that has nothing to add.
        """
        weighed = weighed.to(self.device)
        for batches in updates:
            if batches:
                yield self._accumulate(batches, weighed, before)

    def _accumulate(self, batches: Sequence[PackedBatch], weighed: Weighed, before: Before) -> Totals:
        totals = Totals()
        for number, batch in enumerate(batches):
            hold_gradients(self.network, last=number == len(batches) - 1)
            self.backward(self._loss(batch.to(self.device), weighed, before, totals))
        return totals

    def _loss(self, batch: PackedBatch, weighed: Weighed, before: Before, totals: Totals) -> Tensor:
        recipe, rollout = self.recipe, batch.rollout
        new, entropy = self.network(batch, "gradient" if recipe.entropy_coefficient else "value")
        assert entropy is not None
        place = token_index(rollout, weighed.offsets)
        old = self._old(batch, new, before, place)
        correction = recipe.correction(old, batch.engine, rollout)
        token = recipe.loss(new, old, weighed.advantages[place], rollout)
        losses = token.loss * correction - recipe.entropy_coefficient * entropy
        kl = torch.zeros_like(new)
        if before.reference is not None:
            kl = recipe.kl.estimator(new, before.reference[place])
        if recipe.kl.in_loss:
            losses = losses + recipe.kl.coefficient * kl
        loss: Tensor = (losses * weighed.weights[rollout]).sum()
        agreeing = new if recipe.old_logprobs == "engine" else old
        totals.add(batch, agreeing, entropy, token.clipped, correction, kl, self.version)
        totals.loss += float(loss.detach())
        return loss

    def _old(self, batch: PackedBatch, new: Tensor, before: Before, place: Tensor) -> Tensor:
        if self.recipe.old_logprobs == "engine":
            return batch.engine
        # With one update the policy has not moved since the step began: its own values are the old ones.
        if before.old is None or self.recipe.updates_per_step == 1:
            return new.detach()
        return before.old[place]
