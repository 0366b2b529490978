"""The metrics that a run has of each of its domains."""

from __future__ import annotations

from rlpt.tracking.metric_names import Metric, Summary

TOOLS = "[tools](tools.md)"
SEVERAL = "several samples a task"
EARLIER = "an evaluation before training"
PROBED = "`evaluation.interference=true`, groups with signal"

HACKS = (
    "answers whose verdict is `suspicious`: wrong, with [signs of cheating](extending.md#signs-of-cheating)",
    "0; `rlpt show RUN step=N sort=hacks` shows them, and with `of=evaluation` an evaluation's",
)
BEST_AND_LAST: tuple[Summary, ...] = ("min", "max", "last")

TRAINING = (
    Metric("train/DOMAIN/reward", "mean reward of the step's scored samples", "0 to 1", "rises", "", BEST_AND_LAST),
    Metric("train/DOMAIN/format", "answers in the asked-for form, right or wrong", "share", "rises, ahead of reward"),
    Metric("train/DOMAIN/length", "mean length of the answers", "tokens", "no drift to the limit or to nothing"),
    Metric("train/DOMAIN/truncated", "answers cut at `max_new_tokens`", "share", "below 0.1"),
    Metric("train/DOMAIN/unscored", "samples without a verdict", "share", "0"),
    Metric("train/DOMAIN/hack_rate", HACKS[0], "share", HACKS[1], "", BEST_AND_LAST),
    Metric("train/DOMAIN/entropy", "of the policy where it sampled", "nats", "falls slowly; a plunge is collapse"),
    Metric("train/DOMAIN/task_share", "the domain's part of the step's tasks", "share", "as the mixture asks"),
    Metric("train/DOMAIN/token_share", "of the tokens that the policy wrote", "share"),
    Metric(
        "train/DOMAIN/signal_share",
        "of the sum over tokens of the absolute advantage",
        "share",
        "no domain takes all",
        "any signal in the step",
    ),
    Metric("train/DOMAIN/turns", "mean turns of the policy in an answer", "count", "", TOOLS),
    Metric("train/DOMAIN/tool_errors", "answers in which a tool call failed", "share", "falls", TOOLS),
    Metric(
        "train/DOMAIN/PART",
        "mean of what the verifier calls PART, such as the share of tests that passed",
        "as the verifier's",
        "rises",
        "such a verifier",
    ),
)

EVALUATION = (
    Metric("eval/DOMAIN/reward", "mean over the tasks of the fixed suite", "0 to 1", "rises", "", BEST_AND_LAST),
    Metric("eval/DOMAIN/pass_at_K", "probability that one of K samples is right", "share", "rises", SEVERAL),
    Metric("eval/DOMAIN/majority_at_K", "tasks whose most frequent answer is right", "share", "rises", SEVERAL),
    Metric("eval/DOMAIN/format", "as in training", "share", "rises, ahead of reward"),
    Metric("eval/DOMAIN/length", "as in training", "tokens", "no drift"),
    Metric("eval/DOMAIN/truncated", "as in training", "share", "below 0.1"),
    Metric("eval/DOMAIN/hack_rate", "as in training", "share", "0"),
    Metric("eval/DOMAIN/unscored", "samples without a verdict", "count", "0"),
    Metric("eval/DOMAIN/n", "tasks with a scored sample", "count", "steady"),
    Metric("eval/DOMAIN/suite", "which suite: eight hex digits of its fingerprint as a number", "", "steady"),
    Metric(
        "regression/DOMAIN",
        "reward now minus reward before training, same tasks",
        "-1 to 1",
        "above 0",
        EARLIER,
        BEST_AND_LAST,
    ),
    Metric("regression/DOMAIN_low", "lower end of its interval (`evaluation.confidence`)", "-1 to 1", "", EARLIER),
    Metric("regression/DOMAIN_high", "upper end; below 0 it got worse", "-1 to 1", "above 0", EARLIER),
)

PROBE = (
    Metric(
        "interference/DOMAIN/DOMAIN",
        "cosine of the two domains' policy gradients on a probe of recent groups",
        "-1 to 1",
        "near 0 or above; below, the updates of either work against the other",
        PROBED,
    ),
    Metric("probe/DOMAIN/entropy", "of the policy on the probe", "nats", "falls slowly", PROBED),
    Metric(
        "probe/DOMAIN/kl",
        "from the policy that wrote the probe's answers to the one of now",
        "nats a token",
        "small; a jump says which domain moved",
        PROBED,
    ),
    Metric("probe/DOMAIN/gradient_norm", "of the domain's mean gradient on the probe", "", "steady", PROBED),
)
