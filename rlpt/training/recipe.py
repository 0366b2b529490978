"""The algorithm that a configuration names, as functions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from inspect import signature
from typing import Literal

from hydra.utils import instantiate
from omegaconf import DictConfig
from torch import Tensor

from rlpt.algorithms.losses import TokenLoss
from rlpt.errors import UserError


@dataclass(frozen=True, slots=True)
class KLTerm:
    """The pull towards the reference: its weight, its estimator, where it acts and whether the reference moves.

    `placement`: in the `loss` of each token; in the `reward` of a rollout, before the baseline; or in the advantage of
    each token as what is still to come, `reward_to_go`, after the baseline. The last two look at the policy of the
    step's beginning. `reference_every`: steps between two moves of the reference, 0 = frozen; it then becomes
    `reference_mix * policy + (1 - reference_mix) * reference`.
    """

    coefficient: float
    estimator: Callable[[Tensor, Tensor], Tensor]
    placement: Literal["loss", "reward", "reward_to_go"]
    reference_every: int
    reference_mix: float

    @property
    def in_loss(self) -> bool:
        """Whether the loss has a KL term."""
        return self.coefficient != 0.0 and self.placement == "loss"

    @property
    def in_reward(self) -> bool:
        """Whether rewards or advantages have one."""
        return self.coefficient != 0.0 and self.placement != "loss"


@dataclass(frozen=True, slots=True)
class Filters:
    """Which rollouts take part, and what is taken from their rewards. See `conf/algorithm/filters/`."""

    equal_groups: Literal["keep", "drop", "resample"]
    max_rounds: int
    mask_truncated: bool
    max_staleness: int | None
    overlong_penalty: float
    overlong_buffer: float


@dataclass(frozen=True, slots=True)
class Recipe:
    """Advantage estimator x normalisation x policy loss x aggregation x KL x correction x filters.

    `advantage` takes rewards, groups and flags of rollouts, or, where there is a critic, rewards, values and rollouts
    of tokens; with `needs_greedy` also the rewards of rollouts without chance. `value_clip` is None where there is no
    critic. `rollout_tokens_per_step`: see `rlpt.training.stream`; None = rollouts end in the step in which they begin.
    `linear`: whether the loss of a token is 0, with its gradient, where the advantage is.
    """

    advantage: Callable[..., Tensor]
    normalization: Callable[[Tensor, Tensor, Tensor], tuple[Tensor, Tensor]]
    loss: Callable[[Tensor, Tensor, Tensor, Tensor], TokenLoss]
    aggregation: Callable[[Tensor], Tensor]
    kl: KLTerm
    correction: Callable[[Tensor, Tensor, Tensor], Tensor]
    filters: Filters
    group_size: int
    group_baseline: bool
    updates_per_step: int
    old_logprobs: Literal["recomputed", "engine"]
    entropy_coefficient: float
    needs_greedy: bool = False
    rollout_tokens_per_step: int | None = None
    value_clip: float | None = None
    linear: bool = True

    @property
    def needs_old(self) -> bool:
        """Whether the log-probabilities of the step's beginning are computed before its updates.

        With a single update they are those of the update itself, from which no gradient is taken.
        """
        return self.old_logprobs == "recomputed" and (self.updates_per_step > 1 or self.kl.in_reward)

    @property
    def looks_first(self) -> bool:
        """Whether rollouts are weighed with what a network says of their tokens: the reference or the critic."""
        return self.kl.in_reward or self.value_clip is not None

    @property
    def looks(self) -> int:
        """How many networks compute something of a step's tokens before its first update."""
        return int(self.needs_old) + int(self.kl.coefficient != 0.0) + int(self.value_clip is not None)

    @property
    def drops_equal_groups(self) -> bool:
        """Whether groups whose rewards are all equal take no part. Without a group baseline they teach like others."""
        return self.filters.equal_groups != "keep" and self.group_baseline

    @property
    def only_advantages_teach(self) -> bool:
        """Whether a rollout whose advantages are all 0 has no gradient: nothing else acts on it."""
        return self.linear and not self.kl.in_loss and self.entropy_coefficient == 0.0 and self.value_clip is None


def build_recipe(algorithm: DictConfig, longest: int) -> Recipe:
    """Instantiate the components that `conf/algorithm/` names.

    Args:
        algorithm: the node `algorithm`.
        longest: most new tokens of any domain: the constant length of an aggregation that names none.

    Raises:
        UserError: where a component does not take what it is given.
    """
    kl, filters = algorithm.kl, algorithm.filters
    _check_components(algorithm)
    return Recipe(
        advantage=instantiate(algorithm.advantage),
        normalization=instantiate(algorithm.normalization),
        loss=instantiate(algorithm.loss),
        aggregation=instantiate(algorithm.aggregation, **_constant_length(algorithm.aggregation, longest)),
        kl=KLTerm(kl.coefficient, instantiate(kl.estimator), kl.placement, kl.reference_every, kl.reference_mix),
        correction=instantiate(algorithm.correction),
        filters=Filters(
            filters.equal_groups,
            filters.max_rounds,
            filters.mask_truncated,
            filters.max_staleness,
            filters.overlong_penalty,
            filters.overlong_buffer,
        ),
        group_size=algorithm.group_size,
        group_baseline=algorithm.min_group_size > 1,
        updates_per_step=algorithm.updates_per_step,
        old_logprobs=algorithm.old_logprobs,
        entropy_coefficient=algorithm.entropy_coefficient,
        needs_greedy=algorithm.needs_greedy,
        rollout_tokens_per_step=algorithm.rollout_tokens_per_step,
        value_clip=None if algorithm.critic is None else algorithm.critic.value_clip,
        linear=str(algorithm.loss._target_).startswith("rlpt."),  # of a user's own nothing is known
    )


def _constant_length(aggregation: DictConfig, longest: int) -> dict[str, int]:
    return {"tokens": longest} if "tokens" in aggregation and aggregation.tokens is None else {}


def _check_components(algorithm: DictConfig) -> None:
    parts = {name: algorithm[name] for name in ("advantage", "normalization", "loss", "aggregation", "correction")}
    for name, node in {**parts, "kl.estimator": algorithm.kl.estimator}.items():
        try:
            takes = set(signature(instantiate(node)).parameters)
        except (TypeError, ValueError) as error:
            raise UserError(f"algorithm.{name} gives {node._target_} an argument that it does not take.") from error
        if name == "advantage" and algorithm.needs_greedy != ("greedy" in takes):
            raise UserError(
                f"algorithm.needs_greedy={str(algorithm.needs_greedy).lower()} does not suit {node._target_}; leave it "
                "as its file in conf/algorithm/advantage sets it."
            )
        if name == "advantage" and (algorithm.critic is not None) != ("values" in takes):
            raise UserError(
                f"algorithm.critic does not suit {node._target_}; leave it as its file in conf/algorithm/advantage "
                "sets it."
            )
