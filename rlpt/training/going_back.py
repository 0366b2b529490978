"""The state of a run that goes back to an earlier policy: what is restored, what goes on, what is changed. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from rlpt.domains.mixture import shares

State = Mapping[str, Any]
"""What a checkpoint keeps besides weights: `PolicyTraining.progress()`, `step`, `meter` and `rollbacks`."""

BACK = frozenset({"updates", "taken", "moments", "unfinished"})
"""What is as it was at the step that the run goes back to. Everything else in a state goes on."""


@dataclass(frozen=True, slots=True)
class Rollback:
    """At most `most` times in a run; what is different afterwards.

    The learning rate is multiplied by `learning_rate`, the weight of each suspect domain by `share`; with `new_seed`
    the tasks come in another order and answers are sampled with other seeds.
    """

    most: int
    learning_rate: float
    share: float
    new_seed: bool


def go_back(
    now: State,
    good: State,
    rollback: Rollback,
    suspects: Sequence[str] | None,
    weights: Mapping[str, float],
    by: Literal["gate", "hand"],
) -> dict[str, Any]:
    """The state at the step of `now` with the policy of `good`, which is a state of the same run.

    Steps go on counting and the tasks taken since `good` are taken again. `suspects`: the domains whose updates worked
    against those that got worse; None where that was not measured. `weights`: of the domains, as configured. Suspects
    keep their shares where nothing else would be left. The last of the state's `rollbacks` says what was done.
    """
    before = _last(now["turns"])
    after = {
        "taken": good["taken"],
        "factors": _lowered(before["factors"], suspects or (), rollback.share, weights),
        "reseeds": before["reseeds"] + int(rollback.new_seed),
    }
    scale = now["learning_rate_scale"] * rollback.learning_rate
    done = {
        "step": now["step"],
        "to": good["step"],
        "by": by,
        "learning_rate_scale": scale,
        "shares": {"before": shares(weights, before["factors"]), "after": shares(weights, after["factors"])},
        "reseeds": after["reseeds"],
        "suspects": None if suspects is None else list(suspects),
    }
    return {
        **now,
        **{name: good[name] for name in BACK},
        "learning_rate_scale": scale,
        "turns": [*good["turns"], after],
        "rollbacks": [*now["rollbacks"], done],
    }


def _last(turns: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
    return turns[-1] if turns else {"taken": 0, "factors": {}, "reseeds": 0}


def _lowered(
    factors: Mapping[str, float], suspects: Sequence[str], share: float, weights: Mapping[str, float]
) -> dict[str, float]:
    found = {**factors, **{name: factors.get(name, 1.0) * share for name in suspects if name in weights}}
    left = any(weight * found.get(name, 1.0) > 0 for name, weight in weights.items())
    return found if left else dict(factors)
