"""What people are told of a regression."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def regression_alert(event: Mapping[str, Any]) -> tuple[str, str] | None:
    """Title and text for an event of the lineage; None where it is no evaluation in which a domain got worse."""
    domains = event.get("domains") or {}
    worse = {name: verdict for name, verdict in domains.items() if verdict["outcome"] == "regressed"}
    if event["event"] != "evaluation" or not worse:
        return None
    title = f"Regression after step {event['step']}: {', '.join(worse)}"
    lines = [f"Compared with {event['reference']}, task by task:"]
    lines += [f"- {name}: {_change(verdict)}" for name, verdict in worse.items()]
    return title, "\n".join(lines)


def _change(verdict: Mapping[str, Any]) -> str:
    text = f"{verdict['before']:.3f} to {verdict['after']:.3f} ({verdict['delta']:+.3f}"
    if verdict["low"] is not None:
        text += f", {100 * verdict['confidence']:g} % interval {verdict['low']:+.3f} to {verdict['high']:+.3f}"
    return f"{text}, {verdict['n']} tasks)"
