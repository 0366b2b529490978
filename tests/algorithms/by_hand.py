"""The formulas of the papers written out: loops over rollouts and tokens, float64, one scalar at a time.

A batch is a list of rollouts, a rollout a list of tokens. None of these functions shares code with `rlpt.algorithms`.
"""

from __future__ import annotations

import math
import statistics

import torch
from torch import Tensor

Tokens = list[list[Tensor]]
Numbers = list[list[float]]


def grpo(group: list[float]) -> list[float]:
    """DeepSeekMath, section 4.1.2: A = (r - mean(r)) / std(r)."""
    return [(r - statistics.mean(group)) / (statistics.stdev(group) + 1e-6) for r in group]


def dr_grpo(group: list[float]) -> list[float]:
    """Dr. GRPO: A = r - mean(r)."""
    return [r - statistics.mean(group) for r in group]


def rloo(group: list[float]) -> list[float]:
    """Equation 8: A_i = r_i - 1 / (k - 1) * sum of the others."""
    return [r - sum(group[:i] + group[i + 1 :]) / (len(group) - 1) for i, r in enumerate(group)]


def maxrl(group: list[float]) -> list[float]:
    """Mean score of the successes less the mean score of all: coefficients r_i / K - 1 / N, times N."""
    successes, count = sum(group), len(group)
    return [count * (r / successes - 1 / count) for r in group]


def whitened(values: list[float]) -> list[float]:
    """(A - mean) / std over everything, std of the population."""
    return [(value - statistics.mean(values)) / (statistics.pstdev(values) + 1e-8) for value in values]


def ppo_token(new: Tensor, old: float, advantage: float, low: float, high: float) -> Tensor:
    """-min(ratio * A, clip(ratio) * A)."""
    ratio = torch.exp(new - old)
    bounded = min(max(ratio, torch.tensor(1 - low, dtype=torch.float64)), torch.tensor(1 + high, dtype=torch.float64))
    return -min(ratio * advantage, bounded * advantage)


def clipped_ratio(new: Tokens, old: Numbers, advantages: Numbers, low: float, high: float) -> Tokens:
    return [
        [ppo_token(n, o, a, low, high) for n, o, a in zip(*own, strict=True)]
        for own in zip(new, old, advantages, strict=True)
    ]


def dual_clipped_ratio(new: Tokens, old: Numbers, advantages: Numbers, low: float, high: float, c: float) -> Tokens:
    """Equation 5: where A < 0, max(min(ratio * A, clip(ratio) * A), c * A)."""

    def bounded(value: Tensor, advantage: float) -> Tensor:
        return -max(-value, torch.tensor(c * advantage, dtype=torch.float64)) if advantage < 0 else value

    inner = clipped_ratio(new, old, advantages, low, high)
    return [[bounded(*pair) for pair in zip(*own, strict=True)] for own in zip(inner, advantages, strict=True)]


def gspo(new: Tokens, old: Numbers, advantages: list[float], low: float, high: float) -> list[Tensor]:
    """Equations 5 and 7: one value a rollout."""
    values = []
    for own, before, advantage in zip(new, old, advantages, strict=True):
        log_ratio = sum((n - o for n, o in zip(own, before, strict=True)), torch.zeros(()).double()) / len(own)
        values.append(ppo_token(log_ratio, 0.0, advantage, low, high))
    return values


def cispo(new: Tokens, old: Numbers, advantages: Numbers, low: float, high: float) -> Tokens:
    """Equations 4 and 5: -sg(clip(ratio)) * A * log pi."""
    return [
        [-min(max(math.exp(float(n.detach()) - o), 1 - low), 1 + high) * a * n for n, o, a in zip(*own, strict=True)]
        for own in zip(new, old, advantages, strict=True)
    ]


def ratios(old: Numbers, engine: Numbers, level: str) -> Numbers:
    """Importance ratios of the trainer's policy against the engine's."""
    found = []
    for own, other in zip(old, engine, strict=True):
        logs = [o - e for o, e in zip(own, other, strict=True)]
        if level == "token":
            found.append([math.exp(log) for log in logs])
        else:
            total = math.prod(math.exp(log) for log in logs)
            found.append([total if level == "sequence" else total ** (1 / len(logs))] * len(logs))
    return found


def penalties_to_go(penalties: Numbers) -> Numbers:
    return [[sum(own[start:]) for start in range(len(own))] for own in penalties]


def overlong(length: int, longest: int, cache: float) -> float:
    """DAPO, equation 13, with its sign turned."""
    if length <= longest - cache:
        return 0.0
    return 1.0 if length > longest else -((longest - cache) - length) / cache


def gae(rewards: list[float], values: list[float], gamma: float, lam: float) -> list[float]:
    """Equations 11 and 16 as double sums: A_t = sum over l of (gamma * lam)^l * delta_(t + l)."""
    deltas = [
        rewards[t] + gamma * (values[t + 1] if t + 1 < len(values) else 0.0) - values[t] for t in range(len(rewards))
    ]
    return [
        sum((gamma * lam) ** (later - t) * deltas[later] for later in range(t, len(deltas))) for t in range(len(deltas))
    ]
