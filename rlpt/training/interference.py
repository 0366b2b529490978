"""Do the domains' updates help or hurt each other: the cosines of their policy gradients on a probe set."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import torch
from torch import Tensor

from rlpt.algorithms.kl import k3
from rlpt.collectives import gather
from rlpt.policy.network import PolicyNetwork
from rlpt.training.before import Before
from rlpt.training.cosines import Cosine, cosines
from rlpt.training.micro_batches import micro_batches, own_rollouts
from rlpt.training.probe import Probed, weigh_probe
from rlpt.training.recipe import KLTerm, Recipe
from rlpt.training.sketch import WIDTH, Sketch
from rlpt.training.update import Totals, Updater

PARTS = 4
"""Into how many parts the probe of a domain is split, to see how much of a cosine is chance."""


@dataclass(frozen=True, slots=True)
class ProbedDomain:
    """The probe of one domain: its groups, the mean entropy in nats, and how far the policy has moved.

    `kl`: of the policy that wrote the answers to the one that is trained now, in nats a token. `gradient_norm`: of the
    mean gradient; noise of a small probe makes it larger.
    """

    groups: int
    entropy: float
    kl: float
    gradient_norm: float


@dataclass(frozen=True, slots=True)
class Interference:
    """The cosine of the policy gradients of each two domains. Below 0, the updates of either work against the other."""

    cosines: Mapping[tuple[str, str], Cosine]
    domains: Mapping[str, ProbedDomain]

    def matrix(self) -> dict[str, dict[str, float]]:
        """`matrix[a][b]`, both ways round; a domain beside itself is left out."""
        return self._both_ways(lambda cosine: cosine.value)

    def metrics(self) -> dict[str, float]:
        """By name: `interference/A/B` in the order of the domains, `probe/DOMAIN/...`."""
        found = {f"interference/{one}/{other}": cosine.value for (one, other), cosine in self.cosines.items()}
        for name, domain in self.domains.items():
            values = {"entropy": domain.entropy, "kl": domain.kl, "gradient_norm": domain.gradient_norm}
            found |= {f"probe/{name}/{metric}": value for metric, value in values.items()}
        return found

    def to_json(self) -> dict[str, Any]:
        """Plain values for the lineage."""
        groups = {name: domain.groups for name, domain in self.domains.items()}
        errors = self._both_ways(lambda cosine: cosine.error)
        return {"cosines": self.matrix(), "errors": errors, "groups": groups}

    def _both_ways(self, value: Callable[[Cosine], float]) -> dict[str, dict[str, float]]:
        found: dict[str, dict[str, float]] = {}
        for (one, other), cosine in self.cosines.items():
            found.setdefault(one, {})[other] = found.setdefault(other, {})[one] = value(cosine)
        return found


def interference(
    probe: Mapping[str, Sequence[Probed]],
    network: PolicyNetwork,
    recipe: Recipe,
    tokens: int,
    backward: Callable[[Tensor], None],
    device: torch.device,
) -> Interference:
    """Take the gradients of the domains' probes, `tokens` a micro-batch, and leave the network as it was.

    It is the gradient of the recipe's own loss with the advantages that the rollouts had in training, without the terms
    that every domain shares (KL to a reference, entropy) and without clips, which would hide what was sampled long ago.
    All ranks must call this together; the network has no gradient before, and none afterwards.
    """
    alone = replace(
        recipe,
        updates_per_step=1,
        old_logprobs="recomputed",
        entropy_coefficient=0.0,
        kl=KLTerm(0.0, _moved, "loss", 0, 1.0),
    )
    updater = Updater(network, alone, backward, device, version=-1)
    sketch = Sketch(network)
    own: dict[str, list[Tensor]] = {}
    totals: dict[str, list[Totals]] = {}
    with torch.random.fork_rng([device] if device.type == "cuda" else []):
        for name, part in product(probe, range(PARTS)):
            for found in _gradient(probe[name], part, updater, tokens):
                own.setdefault(name, []).append(sketch.take())
                totals.setdefault(name, []).append(found)
                network.zero_grad()
    parts = {name: torch.stack(gather(torch.stack(found))).sum(0) for name, found in own.items()}
    domains = {name: _domain(len(probe[name]), totals[name], parts[name]) for name in parts}
    return Interference(cosines(parts, WIDTH**-0.5), domains)


def _gradient(probed: Sequence[Probed], part: int, updater: Updater, tokens: int) -> Sequence[Totals]:
    """Leave the gradient of every `PARTS`-th group on the network. Nothing where there is no such group."""
    weighed = weigh_probe(probed, updater.recipe)
    groups = [one.group for one in probed]
    chosen = torch.tensor([number % PARTS == part for number, group in enumerate(groups) for _ in group.rollouts])
    batches = micro_batches(own_rollouts(groups, chosen, weighed.update), chosen, tokens)
    return list(updater.gradients([batches], weighed, Before(reference=_engine(probed).to(updater.device))))


def _engine(probed: Sequence[Probed]) -> Tensor:
    """The engine's log-probability `[A]` of each action token."""
    rollouts = [rollout for one in probed for rollout in one.group.rollouts]
    pairs = (pair for rollout in rollouts for pair in zip(rollout.logprobs, rollout.action_mask, strict=True))
    return torch.tensor([value for value, action in pairs if action], dtype=torch.float32)


def _moved(new: Tensor, engine: Tensor) -> Tensor:
    """KL(writer || policy) for each token: the answers are the writer's."""
    return k3(engine, new)


def _domain(groups: int, totals: Sequence[Totals], parts: Tensor) -> ProbedDomain:
    ranks = [one for found in gather(list(totals)) for one in found]
    tokens = max(sum(one.tokens for one in ranks), 1)
    entropy, kl = (sum(values) / tokens for values in ([r.entropy for r in ranks], [r.kl for r in ranks]))
    return ProbedDomain(groups, entropy, kl, float(parts.sum(0).norm()))
