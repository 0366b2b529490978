"""The numbers of one step, from its groups. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import itemgetter
from statistics import fmean

from rlpt.records import Group, Rollout, Verdict
from rlpt.training.weigh import Weighed

_OF_UPDATES: Mapping[str, Callable[[Sequence[float]], float]] = {
    "mismatch/max": max,
    "perf/trained_tokens": sum,
    "rl/learning_rate": itemgetter(-1),
}

PHASES = ("sample", "score", "update", "sync")


def step_metrics(
    groups: Sequence[Group],
    weighed: Weighed,
    measured: Mapping[str, float],
    seconds: Mapping[str, float],
    version: int,
) -> dict[str, float]:
    """Every metric of a step by name; domains apart.

    `measured`: of sampling and update; `version`: the policy version that was trained.
    """
    metrics = dict(measured)
    for domain in sorted({group.task.domain for group in groups}):
        own = [group for group in groups if group.task.domain == domain]
        metrics |= {f"train/{domain}/{name}": value for name, value in domain_metrics(own).items()}
    total = sum(seconds.values())
    sampled = metrics["perf/sampled_tokens"]
    metrics |= {f"time/{phase}_s": seconds.get(phase, 0.0) for phase in PHASES}
    metrics |= {
        "time/step_s": total,
        "rl/groups_with_signal": _share(any(values) for values in weighed.by_group(groups)),
        "rl/rollouts_used": _share(weighed.contributes.tolist()),
        "rl/staleness": _staleness(groups, version),
        "perf/tokens_per_s": sampled / total if total else 0.0,
    }
    return metrics


def update_metrics(updates: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """The numbers of a step from those of its updates, all with the same names.

    A mean, but the largest of `mismatch/max`, the sum of `perf/trained_tokens`, and the last `rl/learning_rate`.
    """
    found = {"rl/updates": float(len(updates)), "perf/trained_tokens": 0.0}
    for name in updates[0] if updates else ():
        values = [update[name] for update in updates]
        found[name] = _OF_UPDATES.get(name, fmean)(values)
    return found


def domain_metrics(groups: Sequence[Group]) -> dict[str, float]:
    """Reward, parts, length and failures of one domain's groups. A mean without any value is left out."""
    pairs: list[tuple[Rollout, Verdict]] = [
        pair for group in groups for pair in zip(group.rollouts, group.verdicts, strict=True)
    ]
    scored = [verdict for _, verdict in pairs if verdict.reward is not None]
    metrics = {
        "length": sum(rollout.actions for rollout, _ in pairs) / max(len(pairs), 1),
        "truncated": _share(rollout.finish_reason == "length" for rollout, _ in pairs),
        "unscored": 1.0 - len(scored) / max(len(pairs), 1),
        "hack_rate": _share(verdict.status == "suspicious" for _, verdict in pairs),
    }
    # Rollouts of a domain with tools say what was said, also where no tool was called.
    if conversations := [rollout.messages for rollout, _ in pairs if rollout.messages]:
        turns = sum(message["role"] == "assistant" for messages in conversations for message in messages)
        metrics["turns"] = turns / len(conversations)
        metrics["tool_errors"] = _share(
            any(message.get("status", "ok") != "ok" for message in messages) for messages in conversations
        )
    if scored:
        metrics["reward"] = sum(verdict.reward or 0.0 for verdict in scored) / len(scored)
    for part in sorted({name for verdict in scored for name in verdict.parts}):
        values = [verdict.parts[part] for verdict in scored if part in verdict.parts]
        metrics[part] = sum(values) / len(values)
    return metrics


def _staleness(groups: Sequence[Group], version: int) -> float:
    """Versions between the one that wrote a token and the one that is trained, on average over action tokens."""
    behind = [
        version - written
        for group in groups
        for rollout in group.rollouts
        for written, action in zip(rollout.versions, rollout.action_mask, strict=True)
        if action
    ]
    return sum(behind) / max(len(behind), 1)


def _share(flags: Iterable[object]) -> float:
    values = [bool(flag) for flag in flags]
    return sum(values) / len(values) if values else 0.0
