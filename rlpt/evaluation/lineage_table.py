"""What became of a run's policy, for a reader. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rlpt.evaluation.text import visible

Event = Mapping[str, Any]
"""An object of lineage.jsonl."""


def lineage_text(events: Sequence[Event]) -> str:
    """One line an event: step, what happened, and how."""
    rows = [("step", "event", ""), *((str(event["step"]), str(event["event"]), _words(event)) for event in events)]
    steps, names = (max(len(row[column]) for row in rows) for column in (0, 1))
    return "\n".join(
        f"{step:>{steps}}  {visible(name):{names}}  {visible(words)}".rstrip() for step, name, words in rows
    )


def rollback_words(done: Mapping[str, Any]) -> str:
    """What a rollback has changed, in sentences. `done`: as in a checkpoint's `rollbacks` or in the lineage."""
    before, after, named = done["shares"]["before"], done["shares"]["after"], done["suspects"]
    names = ", ".join(map(str, named or ()))
    moved = [
        f"{name} {before.get(name, 0.0):.0%} -> {after.get(name, 0.0):.0%}"
        for name in before
        if before[name] != after.get(name, 0.0)
    ]
    if moved:
        shared = f"Shares of the tasks: {', '.join(moved)} (suspects: {names})."
    elif named is None:
        shared = "Shares stay: whose updates did harm was not measured."
    elif not named:
        shared = "Shares stay: no domain's updates did harm."
    else:
        shared = f"Shares stay (suspects: {names})."
    seeds = f" New seeds: {done['reseeds']} so far." if done["reseeds"] else ""
    return f"The learning rate is {done['learning_rate_scale']:g} of the configured one. {shared}{seeds}"


def _words(event: Event) -> str:
    name = event["event"]
    if name == "evaluation":
        return _verdicts(event)
    if name == "rollback" and "shares" in event:
        return f"to step {event['to']}, by {event['by']}. {rollback_words(event)}"
    if name in ("start", "resume") and "shares" in event:
        parts = ", ".join(f"{domain} {share:.0%}" for domain, share in event["shares"].items())
        return f"shares {parts}; seed {event['seed']}; config {event['config']}"
    if name == "interference":
        pairs = {tuple(sorted((a, b))): value for a, row in event["cosines"].items() for b, value in row.items()}
        return ", ".join(f"{a} x {b} {value:+.2f}" for (a, b), value in pairs.items())
    if name == "end":
        return "interrupted" if event.get("interrupted") else ""
    return ""


def _verdicts(event: Event) -> str:
    domains = event.get("domains")
    if not domains:
        return "nothing to compare with"
    words = (f"{name} {verdict['outcome']}{_change(verdict)}" for name, verdict in domains.items())
    return f"beside {event['reference']}: {', '.join(words)}"


def _change(verdict: Mapping[str, Any]) -> str:
    return "" if verdict.get("delta") is None else f" ({verdict['delta']:+.2f})"
