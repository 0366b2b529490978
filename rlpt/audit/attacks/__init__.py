"""Known reward hacks: completions that earn a reward only from a verifier that can be cheated."""

from __future__ import annotations

from rlpt.audit.attacks.answers import answers
from rlpt.audit.attacks.attack import FAMILIES, Attack, Family
from rlpt.audit.attacks.form import read_form
from rlpt.audit.attacks.judge import orders
from rlpt.audit.attacks.programs import programs
from rlpt.audit.attacks.prompt import read_prompt
from rlpt.audit.attacks.sizes import sizes
from rlpt.audit.attacks.texts import texts
from rlpt.records import Task

__all__ = ["FAMILIES", "Attack", "Family", "attacks"]


def attacks(task: Task, demonstration: str) -> list[Attack]:
    r"""Return every attack on a task. Pure; the same ones in every process, in the same order.

    Of `demonstration`, an answer that the task's verifier accepts, only the form is used: that an answer stands in
    `\boxed{}`, or that a program defines `solve`. Of the task only its messages are read, never its reference. Programs
    are there only where the demonstration is one; with them the attacks on one task take 30 MB, else 3 MB.
    """
    prompt = read_prompt(task.messages)
    form = read_form(demonstration, prompt.question)
    found = [*answers(prompt, form), *texts(prompt, form), *orders(form), *sizes(form)]
    return found if form.program is None else [*found, *programs(form.program.name)]
