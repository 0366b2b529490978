"""The metrics that a run has of itself."""

from __future__ import annotations

from rlpt.tracking.metric_names import Metric
from rlpt.tracking.metrics_of_domains import EVALUATION, PROBE, PROBED, TRAINING

UPDATED = "an update in the step"
PROGRAMS = "programs to run"

UPDATE = (
    Metric("rl/step", "RL steps done; the axis of every plot", "count"),
    Metric("rl/loss", "mean loss of the updates", "", "says little by itself", UPDATED),
    Metric("rl/entropy", "of the policy at the trained tokens", "nats", "falls slowly; a plunge is collapse", UPDATED),
    Metric("rl/clipped", "tokens whose gradient the ratio clip took", "share", "0 with one update a step", UPDATED),
    Metric("rl/correction", "mean importance weight against the engine", "ratio", "near 1", UPDATED),
    Metric("rl/kl", "estimate to the reference; 0 without one", "nats", "grows slowly", UPDATED),
    Metric("rl/value_loss", "squared error of the critic", "reward²", "falls", "a critic"),
    Metric("rl/gradient_norm", "before clipping", "", "near `max_grad_norm` or below", UPDATED),
    Metric("rl/learning_rate", "of the last update", "", "as configured; lower after a rollback", UPDATED),
    Metric("rl/updates", "optimizer updates of the step", "count", "1 or more; 0 when no group carried signal"),
    Metric("rl/groups_with_signal", "groups whose rewards differ", "share", "0.3 to 0.7"),
    Metric("rl/rollouts_used", "rollouts that the updates computed", "share", "near `rl/groups_with_signal`"),
    Metric(
        "rl/sampling_rounds",
        "rounds of sampling in the step; above 1 with `equal_groups=resample`: `train/*` and `perf/sampled_tokens` "
        "then count all that was sampled",
        "count",
        "1 to 3",
    ),
    Metric(
        "rl/staleness",
        "versions between the policy that wrote a token and the one that is trained",
        "count",
        "0, or up to a few with `rollout_tokens_per_step`",
    ),
    Metric("rl/unfinished_rollouts", "rollouts that go on in the next step", "count", "0, or steady"),
    Metric(
        "mismatch/max",
        "largest difference of the trainer's and the engine's log-probabilities",
        "nats",
        "fp32: below 1e-4",
        UPDATED,
        ("max", "last"),
    ),
    Metric(
        "mismatch/mean",
        "mean absolute difference",
        "nats",
        "bf16: 0.01 to 0.04; a jump means stale weights or collapse",
        UPDATED,
    ),
)

COST = (
    Metric("perf/tokens_per_s", "sampled tokens over the step's time", "tokens/s", "steady"),
    Metric("perf/sampled_tokens", "of the step", "tokens"),
    Metric("perf/trained_tokens", "tokens that the step's updates computed, prompts included", "tokens"),
    Metric("perf/action_token_share", "action tokens among computed ones", "share", "", UPDATED),
    Metric("time/sample_s", "sampling", "s"),
    Metric("time/score_s", "waiting for verdicts", "s", "small beside the others"),
    Metric("time/update_s", "the updates", "s"),
    Metric("time/sync_s", "handing the weights to the engine", "s", "small beside the others"),
    Metric("time/step_s", "the whole step", "s", "steady"),
    Metric("time/interference_s", "measuring `interference/*` and `probe/*`", "s", "", PROBED),
    Metric("budget/sampled_tokens", "so far, evaluations included", "tokens"),
    Metric("budget/trained_tokens", "so far, prompts included", "tokens"),
    Metric("budget/flops", "so far, estimated from tokens and parameters", "operations"),
    Metric("budget/wall_s", "so far, all parts of a resumed run", "s"),
)

HEALTH = (
    Metric("sandbox/programs", "programs and pieces run since the step before; all ranks", "count", "", PROGRAMS),
    Metric("sandbox/opened", "sandboxes opened for them", "count", "few", PROGRAMS),
    Metric("sandbox/queued_s", "waiting for a free place", "s", "small beside `time/score_s`", PROGRAMS),
    Metric("sandbox/lost", "sandboxes that ended or were unclean", "count", "0", PROGRAMS),
    Metric("sandbox/retries", "programs run again for that", "count", "0", PROGRAMS),
    Metric("sandbox/infra_errors", "programs that could not be run", "count", "0", PROGRAMS),
    Metric("verifier/restarts", "verifier processes that hung, swelled or died", "count", "0"),
    Metric("verifier/infra_errors", "verdicts that could not be made", "count", "0"),
    Metric("sampler/restarts", "engines that died or hung and were started again", "count", "0"),
    Metric("tracker/failures", "calls that did not reach the tracker, so far", "count", "0"),
)

SECTIONS = {
    "Training, by domain": TRAINING,
    "Evaluation, by domain": EVALUATION,
    "What the domains' updates do to each other": PROBE,
    "The update": UPDATE,
    "Time and cost": COST,
    "What went wrong around the policy": HEALTH,
}
"""Title -> metrics, in the order of the documentation."""

METRICS = tuple(metric for metrics in SECTIONS.values() for metric in metrics)
