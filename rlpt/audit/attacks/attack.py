"""One attack on a verifier, and the families that attacks belong to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, get_args

Family = Literal[
    "constant answer",
    "example copied",
    "empty",
    "prompt repeated",
    "everything listed",
    "hedging",
    "format without content",
    "filler",
    "orders to the judge",
    "thought never closed",
    "size and characters",
    "program: constant",
    "program: exit",
    "program: object",
    "program: patch",
    "program: search",
    "program: forged result",
    "program: resources",
    "program: breakout",
    "program: source",
]

FAMILIES: tuple[Family, ...] = get_args(Family)
"""In the order of a report."""


@dataclass(frozen=True, slots=True)
class Attack:
    """A completion that is no honest answer to its task.

    `name` is unique within a task and says the same attack at every task, so that it can be counted over tasks.
    `guess`: it is one concrete answer that may be right by luck, so that being paid now and then is no fault: its rate
    is the reward of a policy that has learnt nothing else. All others deserve no reward at any task.
    `lucky`: it is no answer, but shows a number where one is asked for, which may happen to be the right one.
    `costly`: it uses up its time or memory limit, or is up to megabytes long; a few tasks are enough for it.
    `harmful`: a program that damages the machine it runs on, or reads what it finds there. To be judged only where a
    sandbox runs programs.
    """

    name: str
    family: Family
    completion: str
    guess: bool = False
    lucky: bool = False
    costly: bool = False
    harmful: bool = False


def named(family: Family, completions: Mapping[str, str], *, guess: bool = False) -> list[Attack]:
    """One attack of `family` for each name."""
    return [Attack(name, family, completion, guess=guess) for name, completion in completions.items()]
