"""Going back by hand: the next checkpoint that a run is resumed from has the policy of an earlier one."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Mapping, Sequence
from itertools import count
from pathlib import Path
from typing import Any

from rlpt.errors import UserError
from rlpt.evaluation.trace.suspects import accused
from rlpt.run_dir import RunDir
from rlpt.tracking.lineage import Lineage
from rlpt.training.going_back import Rollback, State, go_back
from rlpt.training.states import STATE, read_state

Event = Mapping[str, Any]

ASIDE = "before-rollback"


def roll_back(
    run: RunDir,
    events: Sequence[Event],
    rollback: Rollback,
    weights: Mapping[str, float],
    step: int | None = None,
    named: Sequence[str] | None = None,
) -> dict[str, Any]:
    """Make `run` go on from the checkpoint of `step`, by default the last good one. Returns what was done.

    As after a rollback in training, steps go on counting: the newest checkpoint is replaced by one of the same step
    with the earlier policy, optimizer, critic and place in the mixture. The one that was there, and the exported
    policy, are kept under another name (`aside`).

    Args:
        run: a run that no process works on.
        events: its lineage.
        rollback: what is changed; `most` does not count here.
        weights: of the domains, as configured.
        step: a step with a checkpoint.
        named: the suspects; by default those that the run's own measurements accuse.

    Raises:
        UserError: where there is no such checkpoint or nothing to go back from.
    """
    steps = run.checkpoint_steps()
    if not steps:
        raise UserError(f"{run.root} has no checkpoint to go back to; start it anew with rlpt train.")
    newest = steps[-1]
    now = read_state(run, newest)
    events = [event for event in events if event["step"] <= newest]
    if step is None:
        step = _last_good(run, events, now)
    if step not in steps:
        raise UserError(f"{run.root} has no checkpoint of step {step}; it has those of {_listed(steps)}.")
    if step == newest:
        raise UserError(f"{run.root} stands at step {step} already; {_others(steps)}.")
    found = _accused(events, step) if named is None else named
    state = go_back(now, read_state(run, step), rollback, found, weights, "hand")
    aside = [_replace(run, step, newest, state)]
    if run.policy.is_dir():
        aside.append(_set_aside(run.policy))
    done = {**state["rollbacks"][-1], "aside": [str(path.relative_to(run.root)) for path in aside]}
    Lineage(run.lineage).add(newest, "rollback", {name: value for name, value in done.items() if name != "step"})
    return done


def _last_good(run: RunDir, events: Sequence[Event], now: State) -> int:
    """The last step whose evaluation saw no regression."""
    steps, newest = run.checkpoint_steps(), now["step"]
    judged = [event for event in events if event["event"] == "evaluation"]
    good = [int(event["step"]) for event in judged if not _regressed(event)]
    if not good:
        raise UserError(f"{run.root} has no evaluation that says which policy was good; {_others(steps)}.")
    if good[-1] == judged[-1]["step"]:
        raise UserError(f"The last evaluation of {run.root} (step {good[-1]}) saw no regression; {_others(steps)}.")
    if good[-1] not in steps:
        raise UserError(
            f"The last good policy of {run.root} was that of step {good[-1]}, which has no checkpoint; "
            f"{_others(steps)}."
        )
    if any(done["step"] == newest and done["to"] == good[-1] for done in now["rollbacks"]):
        raise UserError(
            f"{run.root} has gone back to step {good[-1]} and not gone on since; go on with rlpt train "
            f"resume={run.root}, or {_others(steps)}."
        )
    return good[-1]


def _accused(events: Sequence[Event], step: int) -> list[str] | None:
    """The suspects of the last regression since `step`; None where the run has not measured who works against whom."""
    measured = [event for event in events if event["event"] == "interference"]
    regressed = [names for event in events if event["step"] > step and (names := _regressed(event))]
    return accused(measured[-1], regressed[-1]) if measured and regressed else None


def _regressed(event: Event) -> list[str]:
    return [name for name, verdict in event.get("domains", {}).items() if verdict["outcome"] == "regressed"]


def _replace(run: RunDir, step: int, newest: int, state: State) -> Path:
    """Put the checkpoint of `step` with another state in the place of `newest`. Returns where that one is now."""
    target = run.checkpoint(newest)
    partial = target.with_name(f".{target.name}.partial")
    shutil.rmtree(partial, ignore_errors=True)
    shutil.copytree(run.checkpoint(step), partial, copy_function=_link, ignore=shutil.ignore_patterns(STATE))
    (partial / STATE).write_text(json.dumps(state))
    aside = _set_aside(target)
    partial.rename(target)
    return aside


def _link(source: str, target: str) -> None:
    """Weights of a checkpoint are never written to again, so a second name is as good as a copy."""
    try:
        os.link(source, target)
    except OSError:  # a file system without hard links
        shutil.copy2(source, target)


def _set_aside(folder: Path) -> Path:
    names = (folder.with_name(f"{folder.name}.{ASIDE}{f'-{n}' if n > 1 else ''}") for n in count(1))
    free = next(name for name in names if not name.exists())
    return folder.rename(free)


def _others(steps: Sequence[int]) -> str:
    earlier = _listed(steps[:-1])
    return f"name an earlier checkpoint with step=, of {earlier}" if earlier else "it has no earlier checkpoint"


def _listed(steps: Sequence[int]) -> str:
    return ", ".join(map(str, steps))
