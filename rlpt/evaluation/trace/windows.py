"""Between which evaluations a domain got worse. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

Event = Mapping[str, Any]
"""An object of lineage.jsonl."""


@dataclass(frozen=True, slots=True)
class Window:
    """What became of `domain` in the steps after `good` up to `bad`.

    Where it `regressed`, `good` is the last evaluation that did not see it and `bad` the first that did; `last` is the
    last one of those that saw it, and `lasts` says whether none came later that did not. Else they are the first and
    the last evaluation of the run. `before` and `after` are mean rewards on the suite, of what the gate compared with
    and at `bad`; None where nothing was compared.
    """

    domain: str
    good: int
    bad: int
    last: int
    regressed: bool = True
    lasts: bool = True
    before: float | None = None
    after: float | None = None


def regressions(events: Sequence[Event]) -> list[Window]:
    """Every time that a domain got worse, in order. Evaluations one after the other that saw it are one time.

    After a rollback the policy is a good one again: what follows is another time.
    """
    found: list[Window] = []
    going: dict[str, int] = {}  # domain -> its place in `found`, while it lasts
    good: dict[str, int] = {}
    first = next((int(event["step"]) for event in evaluations(events)), 0)
    for event in events:
        step = int(event["step"])
        if event["event"] == "rollback":
            good = dict.fromkeys([*good, *going], step)
            _end(found, going, list(going))
        elif event["event"] == "evaluation":
            for name, verdict in event.get("domains", {}).items():
                if verdict["outcome"] != "regressed":
                    good[name] = step
                    _end(found, going, [name])
                elif name in going:
                    found[going[name]] = replace(found[going[name]], last=step)
                else:
                    going[name] = len(found)
                    found.append(_window(name, verdict, good.get(name, first), step))
    return found


def whole_run(events: Sequence[Event], domain: str) -> Window | None:
    """From the first evaluation to the last; None where there is but one."""
    steps = [int(event["step"]) for event in evaluations(events)]
    if len(steps) < 2:
        return None
    verdict = evaluations(events)[-1].get("domains", {}).get(domain, {})
    return replace(_window(domain, verdict, steps[0], steps[-1]), regressed=False)


def evaluations(events: Sequence[Event]) -> list[Event]:
    """The evaluations among the events, in order."""
    return [event for event in events if event["event"] == "evaluation"]


def _window(domain: str, verdict: Mapping[str, Any], good: int, bad: int) -> Window:
    return Window(domain, good, bad, bad, before=verdict.get("before"), after=verdict.get("after"))


def _end(found: list[Window], going: dict[str, int], names: Sequence[str]) -> None:
    for name in names:
        if name in going:
            place = going.pop(name)
            found[place] = replace(found[place], lasts=False)
