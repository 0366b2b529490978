"""Programs that are no answers, for domains that ask for programs. Nothing of them is run here."""

from __future__ import annotations

from rlpt.audit.attacks.attack import Attack
from rlpt.audit.attacks.programs.harness import harness
from rlpt.audit.attacks.programs.machine import machine
from rlpt.audit.attacks.programs.results import results
from rlpt.audit.attacks.programs.search import searches
from rlpt.audit.attacks.programs.sources import sources


def programs(entry: str | None) -> list[Attack]:
    """Return all hostile programs. `entry`: the function that is asked for; None: a program that reads its input."""
    return [*results(entry), *harness(entry), *searches(entry), *machine(entry), *sources(entry)]
