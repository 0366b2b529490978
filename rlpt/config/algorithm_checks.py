"""Algorithms that cannot work as composed, one rule each, as in `rlpt.config.checks`."""

from __future__ import annotations

from omegaconf import DictConfig, OmegaConf

from rlpt.config.values import number, positive
from rlpt.errors import UserError


def check_group_size(cfg: DictConfig) -> None:
    """A rule with a group baseline needs a group."""
    positive(cfg, "algorithm.group_size")
    positive(cfg, "algorithm.rollout_tokens_per_step")
    size, least = number(cfg, "algorithm.group_size"), number(cfg, "algorithm.min_group_size")
    if size is not None and least is not None and size < least:
        raise UserError(
            f"algorithm.group_size={size:g} leaves nothing to compare a sample with; set algorithm.group_size to "
            f"{least:g} or more, or take a rule without a group baseline: algorithm=reinforce."
        )


def check_updates(cfg: DictConfig) -> None:
    """Every update of a step has groups of its own."""
    positive(cfg, "algorithm.updates_per_step")
    updates, tasks = number(cfg, "algorithm.updates_per_step"), number(cfg, "mixture.tasks_per_step")
    if updates is not None and tasks is not None and updates > tasks > 0:
        raise UserError(
            f"algorithm.updates_per_step={updates:g} is more than the {tasks:g} tasks of a step, and a task is never "
            f"split over updates; lower it, or raise mixture.tasks_per_step to {updates:g}."
        )


def check_kl(cfg: DictConfig) -> None:
    """A KL term that acts where its estimator can, against a reference that there is."""
    coefficient = number(cfg, "algorithm.kl.coefficient")
    placement = OmegaConf.select(cfg, "algorithm.kl.placement")
    if coefficient is None:
        return
    if coefficient < 0:
        raise UserError(f"algorithm.kl.coefficient={coefficient:g} is negative; 0 switches the penalty off.")
    allowed = OmegaConf.select(cfg, "algorithm.kl.placements")
    if placement is not None and allowed is not None and placement not in allowed:
        raise UserError(
            f"algorithm.kl.placement={placement} does not suit this KL estimator, whose gradient there has mean 0; "
            f"write algorithm.kl.placement={allowed[0]}, or take algorithm/kl=k2 or algorithm/kl=k3."
        )
    if placement == "reward_to_go" and OmegaConf.select(cfg, "algorithm.critic") is not None:
        raise UserError(
            "algorithm.kl.placement=reward_to_go takes the KL of later tokens from each token's advantage, which a "
            "critic does by itself; write algorithm.kl.placement=reward."
        )
    if placement not in (None, "loss") and coefficient == 0:
        raise UserError(
            f"algorithm.kl.placement={placement} takes a KL penalty from the reward, but algorithm.kl.coefficient=0 "
            "keeps no reference to measure it against; set the coefficient above 0, such as 0.001, or write "
            "algorithm/kl=k3 algorithm.kl.placement=loss."
        )
    every, mix = number(cfg, "algorithm.kl.reference_every"), number(cfg, "algorithm.kl.reference_mix")
    if every is not None and every < 0:
        raise UserError(f"algorithm.kl.reference_every={every:g} is negative; 0 keeps the reference as it is.")
    if mix is not None and not 0.0 < mix <= 1.0:
        raise UserError(f"algorithm.kl.reference_mix={mix:g} is no share; it lies above 0 and is at most 1.")
    if every and coefficient == 0:
        raise UserError(
            f"algorithm.kl.reference_every={every:g} moves a reference that algorithm.kl.coefficient=0 does not keep; "
            "set the coefficient above 0, or write algorithm.kl.reference_every=0."
        )


def check_correction(cfg: DictConfig) -> None:
    """A correction at the level of the loss, for log-probabilities that differ from the engine's."""
    level = OmegaConf.select(cfg, "algorithm.correction.level")
    if level is None and "level" not in (OmegaConf.select(cfg, "algorithm.correction") or {}):
        return  # no correction, or one of a user's own
    if level not in ("token", "sequence", "geometric"):
        raise UserError(f"algorithm.correction.level={level} is none of token, sequence, geometric.")
    if level == "token" and OmegaConf.select(cfg, "algorithm.loss_level") == "sequence":
        raise UserError(
            "algorithm.correction.level=token weighs the tokens of a sample apart, but this loss has one ratio for all "
            "of them; write algorithm.correction.level=geometric or algorithm.correction.level=sequence."
        )
    if OmegaConf.select(cfg, "algorithm.old_logprobs") == "engine":
        raise UserError(
            "algorithm.old_logprobs=engine compares with the engine itself, so an algorithm.correction against the "
            "engine has nothing left to correct; add algorithm/correction=none, or write "
            "algorithm.old_logprobs=recomputed."
        )
    positive(cfg, "algorithm.correction.cap")
    low, high = number(cfg, "algorithm.correction.low"), number(cfg, "algorithm.correction.high")
    if low is not None and high is not None and not 0.0 <= low <= 1.0 <= high:
        raise UserError(
            f"algorithm.correction.low={low:g} and algorithm.correction.high={high:g} leave out a ratio of 1, which is "
            "the engine and the trainer agreeing; low lies between 0 and 1, high is 1 or more."
        )


def check_loss(cfg: DictConfig) -> None:
    """Bounds that leave a ratio of 1 free."""
    for key in ("clip_low", "clip_high"):
        value = number(cfg, f"algorithm.loss.{key}")
        if value is not None and value < 0:
            raise UserError(f"algorithm.loss.{key}={value:g} is negative, so that a ratio of 1 is clipped; use 0.2.")
    bound = number(cfg, "algorithm.loss.bound")
    if bound is not None and bound <= 1:
        raise UserError(f"algorithm.loss.bound={bound:g} must lie above 1, or it bounds a policy that has not moved.")
    entropy = number(cfg, "algorithm.entropy_coefficient")
    if entropy is not None and entropy < 0:
        raise UserError(f"algorithm.entropy_coefficient={entropy:g} is negative; 0 switches the bonus off.")
    positive(cfg, "algorithm.aggregation.tokens")
    updates = number(cfg, "algorithm.updates_per_step")
    loss = OmegaConf.select(cfg, "algorithm.loss._target_")
    if loss == "rlpt.algorithms.losses.reinforce" and updates is not None and updates > 1:
        raise UserError(
            f"algorithm.updates_per_step={updates:g} trains on samples of a policy that has moved since, and "
            "algorithm/loss=reinforce has no ratio that says how far; write algorithm.updates_per_step=1, or "
            "algorithm/loss=clipped_ratio."
        )


def check_filters(cfg: DictConfig) -> None:
    """Filters that leave something to learn from."""
    positive(cfg, "algorithm.filters.max_rounds")
    size, staleness = number(cfg, "algorithm.group_size"), number(cfg, "algorithm.filters.max_staleness")
    equal = OmegaConf.select(cfg, "algorithm.filters.equal_groups")
    if equal == "resample" and size is not None and size < 2:
        raise UserError(
            "algorithm.filters.equal_groups=resample waits for groups whose rewards differ, and the rewards of "
            f"algorithm.group_size={size:g} never do; write algorithm/filters=keep, or a larger group."
        )
    if equal == "resample" and number(cfg, "algorithm.rollout_tokens_per_step") is not None:
        raise UserError(
            "algorithm.rollout_tokens_per_step leaves long samples to later steps, and "
            "algorithm.filters.equal_groups=resample fills each step at once; write algorithm/filters=drop_equal, or "
            "algorithm.rollout_tokens_per_step=null."
        )
    if staleness is not None and staleness < 0:
        raise UserError(f"algorithm.filters.max_staleness={staleness:g} is negative; 0 takes fresh samples only.")
    penalty, buffer = (number(cfg, f"algorithm.filters.overlong_{key}") for key in ("penalty", "buffer"))
    if penalty is not None and penalty < 0:
        raise UserError(f"algorithm.filters.overlong_penalty={penalty:g} rewards long samples; 0 switches it off.")
    if buffer is not None and not 0.0 < buffer <= 1.0:
        raise UserError(f"algorithm.filters.overlong_buffer={buffer:g} is no share; it lies above 0 and is at most 1.")


def check_rewards(cfg: DictConfig) -> None:
    """A rule that divides by the mean reward needs rewards of 0 or more."""
    if not OmegaConf.select(cfg, "algorithm.needs_positive_rewards"):
        return
    penalty, placement = (
        OmegaConf.select(cfg, f"algorithm.{key}") for key in ("filters.overlong_penalty", "kl.placement")
    )
    if penalty:
        raise UserError(
            "This advantage divides by the mean reward of a task, so rewards must be 0 or more, and the penalty for "
            "overlong samples makes some negative; write algorithm.filters.overlong_penalty=0."
        )
    if placement == "reward":
        raise UserError(
            "This advantage divides by the mean reward of a task, so rewards must be 0 or more, and a KL penalty in "
            "the reward makes some negative; write algorithm/kl=k3, which acts in the loss."
        )
    for name, domain in (OmegaConf.select(cfg, "domain") or {}).items():
        if OmegaConf.select(domain, "verifier._target_") == "rlpt.verifiers.tool_errors.ToolErrorsVerifier":
            raise UserError(
                "This advantage divides by the mean reward of a task, so rewards must be 0 or more, and "
                f"verifier=tool_errors takes some from turns of domain {name}; take another verifier or algorithm=rloo."
            )


def check_components(cfg: DictConfig) -> None:
    """rlpt's own functions are given numbers, and called by the trainer."""
    for component in ("advantage", "normalization", "loss", "aggregation", "correction", "kl.estimator"):
        node = OmegaConf.select(cfg, f"algorithm.{component}")
        if not isinstance(node, DictConfig) or not str(node.get("_target_", "")).startswith("rlpt."):
            continue
        if node.get("_partial_") is not True:
            raise UserError(f"algorithm.{component}._partial_ must be true: the trainer calls the function itself.")
        for key in node:
            where = f"algorithm.{component}.{key!s}"
            unset = key == "level" or (key == "tokens" and node[key] is None)
            if not str(key).startswith("_") and not unset and number(cfg, where) is None:
                raise UserError(f"{where}={node[key]!r} is no number; set it to one.")
        if (eps := number(cfg, f"algorithm.{component}.eps")) is not None and not 0.0 <= eps <= 1.0:
            raise UserError(f"algorithm.{component}.eps={eps:g} must lie between 0 and 1; write 1e-6.")


def check_critic(cfg: DictConfig) -> None:
    """Numbers of the critic and of running means that can learn."""
    rate = number(cfg, "algorithm.critic.learning_rate")
    if rate is not None and rate < 0:
        raise UserError(f"algorithm.critic.learning_rate={rate:g} is negative; set it to 0 or more.")
    positive(cfg, "algorithm.critic.value_clip")
    for key in ("gamma", "lam"):
        value = number(cfg, f"algorithm.advantage.{key}")
        if value is not None and not 0.0 <= value <= 1.0:
            raise UserError(f"algorithm.advantage.{key}={value:g} must lie between 0 and 1.")
    decay = number(cfg, "algorithm.normalization.decay")
    if decay is not None and not 0.0 <= decay < 1.0:
        raise UserError(f"algorithm.normalization.decay={decay:g} must be 0 or more and below 1, such as 0.9.")


ALGORITHM = (
    check_group_size,
    check_updates,
    check_kl,
    check_correction,
    check_loss,
    check_filters,
    check_rewards,
    check_critic,
    check_components,
)
