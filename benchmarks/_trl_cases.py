"""What `trl_gradients.py` compares: each method's recipe, TRL's options for it, and what had to be aligned."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal


@dataclass(frozen=True, slots=True)
class Alignment:
    """A setting without which the two sides compute something else, and why.

    `override` is for rlpt's command line. `config` is for TRL's GRPOConfig, `rewards` replaces TRL's reward functions.
    `per_update` asks for rlpt's gradients as they are under TRL's denominator (`_trl_ours.under_mean_denominator`).
    """

    side: Literal["rlpt", "TRL", "figures"]
    setting: str
    why: str
    override: str | None = None
    config: Mapping[str, Any] = field(default_factory=dict)
    rewards: Sequence[str] | None = None
    per_update: bool = False


@dataclass(frozen=True, slots=True)
class Case:
    """`recipe`: rlpt's, with `overrides`. `config` and `rewards` are TRL's for the same method."""

    name: str
    recipe: str
    config: Mapping[str, Any]
    alignments: Sequence[Alignment]
    rewards: Sequence[str] = ("verdict",)
    overrides: Sequence[str] = ()

    def without(self, alignment: Alignment) -> Case:
        """The same, but for one alignment."""
        return replace(self, alignments=[one for one in self.alignments if one != alignment])

    @property
    def all_overrides(self) -> list[str]:
        """The words after `rlpt train`."""
        aligned = [one.override for one in self.alignments if one.override]
        return [f"algorithm={self.recipe}", *self.overrides, *aligned]

    @property
    def all_config(self) -> dict[str, Any]:
        """Arguments of TRL's GRPOConfig."""
        config = dict(self.config)
        for one in self.alignments:
            config |= one.config
        return config

    @property
    def all_rewards(self) -> Sequence[str]:
        """TRL's reward functions, by the names that `_trl_peer.REWARDS` has."""
        return next((one.rewards for one in self.alignments if one.rewards is not None), self.rewards)

    @property
    def per_update(self) -> bool:
        """Whether TRL's denominator is put under rlpt's gradients."""
        return any(one.per_update for one in self.alignments)


def overridden(override: str, why: str) -> Alignment:
    """A word on rlpt's command line."""
    return Alignment("rlpt", f"`{override}`", why, override=override)


def configured(why: str, **config: object) -> Alignment:
    """Options of TRL."""
    setting = ", ".join(f"`{name}={value}`" for name, value in config.items())
    return Alignment("TRL", setting, why, config=config)


EPS = overridden("algorithm.advantage.eps=1e-4", "TRL adds 1e-4 to the group's standard deviation, rlpt 1e-6")
BY_TOKEN = configured(
    "weights trainer / engine: TRL's default masks samples whose product is above 3, rlpt's recipes cap tokens at 2",
    vllm_importance_sampling_mode="token_truncate",
    vllm_importance_sampling_clip_max=2.0,
)
BY_SAMPLE = configured(
    "weights trainer / engine: TRL's default masks samples whose product is above 3, rlpt's recipe caps samples at 2",
    vllm_importance_sampling_mode="sequence_truncate",
    vllm_importance_sampling_clip_max=2.0,
)
PRODUCT = overridden(
    "algorithm.correction.level=sequence",
    "TRL has the product of a sample's ratios, but not their geometric mean, which rlpt's recipe takes",
)
SAMPLE_MEAN = overridden(
    "algorithm/aggregation=sequence_mean",
    "TRL's `loss_type=grpo` is the paper's mean of sample means, rlpt's recipe a token mean",
)
KEPT = overridden(
    "algorithm.filters.equal_groups=keep",
    "TRL has no dynamic sampling: groups of equal rewards stay in its denominator",
)
DENOMINATOR = Alignment(
    "figures",
    "of two updates, each gradient of rlpt times its tokens / the mean tokens of the two",
    "TRL's `loss_type=dapo` divides every update of a step by the mean tokens of them all, rlpt by its own tokens",
    per_update=True,
)
UNSCORED = Alignment(
    "TRL",
    "reward functions return None for truncated samples",
    "masked samples leave the group's baseline too in rlpt, only the loss in TRL",
    rewards=("verdict_of_whole", "overlong_of_whole"),
)

GRPO = {"loss_type": "grpo", "scale_rewards": "group", "epsilon": 0.2}
DR_GRPO = {"loss_type": "dr_grpo", "scale_rewards": "none", "epsilon": 0.2}
DAPO = {"loss_type": "dapo", "scale_rewards": "group", "epsilon": 0.2, "epsilon_high": 0.28}
GSPO = {**GRPO, "importance_sampling_level": "sequence", "epsilon": 3e-4, "epsilon_high": 4e-4}

CASES = [
    Case("grpo", "grpo", GRPO, [SAMPLE_MEAN, EPS, BY_TOKEN]),
    Case("grpo_token_mean", "grpo", {**GRPO, "loss_type": "dapo"}, [EPS, BY_TOKEN, DENOMINATOR]),
    Case("dr_grpo", "dr_grpo", DR_GRPO, [BY_TOKEN]),
    Case("dapo", "dapo", DAPO, [KEPT, EPS, BY_TOKEN, DENOMINATOR], rewards=("verdict", "overlong")),
    Case(
        "dapo_mask_truncated",
        "dapo",
        {**DAPO, "mask_truncated_completions": True},
        [KEPT, EPS, BY_TOKEN, UNSCORED, DENOMINATOR],
        rewards=("verdict", "overlong"),
        overrides=["algorithm.filters.mask_truncated=true"],
    ),
    Case("gspo", "gspo", GSPO, [PRODUCT, EPS, BY_SAMPLE]),
]

COMMON = [
    "The model, completions, rewards, the engine's log-probabilities, temperature and clip bounds are the same.",
    "TRL deals samples out to a step's updates by chance; this is off, as rlpt never splits a group over updates.",
    "TRL weighs by trainer / engine beside vLLM only, whose place a stand-in takes; the rest is `GRPOTrainer.train`.",
    "There is no KL term and no gradient clipping; both go steps of one length down the gradient.",
]
"""What holds for all cases, in words."""
