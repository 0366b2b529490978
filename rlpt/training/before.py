"""What is computed of a step's action tokens before its first update: by the policy as it begins, and the reference."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import torch
from torch import Tensor

from rlpt.algorithms.sequences import token_index
from rlpt.collectives import gather
from rlpt.policy.network import PolicyNetwork
from rlpt.policy.packing import PackedBatch
from rlpt.policy.sharding import free_gathered
from rlpt.policy.value import ValueNetwork
from rlpt.training.recipe import Recipe


@dataclass(frozen=True, slots=True)
class Before:
    """Log-probabilities `[A]` (fp32, on the device) of the step's action tokens; those of other ranks' tokens are 0.

    `old`: of the policy at the beginning of the step; `reference`: of the reference. None where the recipe needs none.
    On the CPU and of all ranks: `kl [A]`, of each token, where rewards have a KL term; `values [A]`, the critic's,
    where there is one.
    """

    old: Tensor | None = None
    reference: Tensor | None = None
    kl: Tensor | None = None
    values: Tensor | None = None


def look_before(
    batches: Sequence[PackedBatch],
    network: PolicyNetwork,
    reference: PolicyNetwork | None,
    critic: ValueNetwork | None,
    recipe: Recipe,
    offsets: Tensor,
    device: torch.device,
) -> Before:
    """Compute what the recipe needs for the tokens of these micro-batches. All ranks must call this together.

    The reference is on the device only meanwhile. `offsets [N + 1]` says where each rollout's tokens begin.
    """

    def spread(value: Callable[[PackedBatch], Tensor]) -> Tensor:
        """A value of each micro-batch's tokens, at their places among all tokens of the step."""
        everything = torch.zeros(int(offsets[-1]), device=device)
        with torch.no_grad():
            for batch in batches:
                place = token_index(batch.rollout, offsets).to(device)
                everything[place] = value(batch.to(device))
        return everything

    def logprobs(model: PolicyNetwork) -> Tensor:
        return spread(lambda batch: model(batch, "none")[0])

    old = logprobs(network) if recipe.needs_old else None
    values = None
    if critic is not None:
        values = _of_all_ranks(spread(critic))
        free_gathered(critic)
    if reference is None:
        return Before(old, values=values)
    with _at_hand(reference, device):
        referred = logprobs(reference)
    if not recipe.kl.in_reward:
        return Before(old, referred, values=values)
    begin = spread(lambda batch: batch.engine) if old is None else old
    return Before(old, referred, _of_all_ranks(recipe.kl.estimator(begin, referred)), values)


def move_reference(reference: PolicyNetwork, network: PolicyNetwork, mix: float, device: torch.device) -> None:
    """Make the reference `mix * network + (1 - mix) * reference`. Source: TR-DPO (arXiv:2404.09656), equations 7, 8."""
    with torch.no_grad(), _at_hand(reference, device):
        for old, new in zip(reference.parameters(), network.parameters(), strict=True):
            old.lerp_(new.detach(), mix)


@contextmanager
def _at_hand(reference: PolicyNetwork, device: torch.device) -> Iterator[None]:
    reference.to(device)
    try:
        yield
    finally:
        free_gathered(reference)
        reference.to("cpu")


def _of_all_ranks(values: Tensor) -> Tensor:
    return torch.stack(gather(values.cpu())).sum(0)
