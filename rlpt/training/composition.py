"""What a step is made of: each domain's part in its tasks, tokens and signal. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from rlpt.records import Group


def composition(
    domains: Iterable[str], groups: Sequence[Group], advantages: Sequence[Sequence[float]]
) -> dict[str, float]:
    """By name, for each domain, also one that the step has nothing of.

    `task_share` and `token_share`: of the tasks, and of the tokens that the policy wrote. `signal_share`: of the sum
    over tokens of the absolute advantage; left out where nothing had one. `entropy`: minus the mean log-probability of
    the tokens as they were sampled, in nats, which on average is the entropy of the policy; left out without tokens.
    """
    names = list(domains)
    tasks, tokens, signal, logprobs = (dict.fromkeys(names, 0.0) for _ in range(4))
    for group, values in zip(groups, advantages, strict=True):
        name = group.task.domain
        tasks[name] += 1
        for rollout, value in zip(group.rollouts, values, strict=True):
            tokens[name] += rollout.actions
            signal[name] += rollout.actions * abs(value)
            logprobs[name] += sum(
                one for one, action in zip(rollout.logprobs, rollout.action_mask, strict=True) if action
            )
    found: dict[str, float] = {}
    parts: dict[str, Mapping[str, float]] = {"task_share": tasks, "token_share": tokens, "signal_share": signal}
    for part, amounts in parts.items():
        if total := sum(amounts.values()):
            found |= {f"train/{name}/{part}": amounts[name] / total for name in names}
    return found | {f"train/{name}/entropy": -logprobs[name] / tokens[name] for name in names if tokens[name]}
