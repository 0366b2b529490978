"""Known reward hacks: completions that earn a reward only from a verifier that can be cheated."""

from __future__ import annotations

import re
from dataclasses import replace

from rlpt.audit.attacks.answers import answers
from rlpt.audit.attacks.attack import FAMILIES, Attack, Family
from rlpt.audit.attacks.form import Form, read_form
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
    found = [replace(attack, lucky=_lucky(attack, form)) for attack in found]
    return found if form.program is None else [*found, *programs(form.program.name)]


def _lucky(attack: Attack, form: Form) -> bool:
    """Whether an attack shows a number where one is asked for, so that it may be right whatever else it says."""
    if not form.number or attack.guess or attack.family == "hedging":
        return False
    if attack.family == "everything listed":
        return attack.name == "the prompt's numbers, on lines"  # the last line is an answer by itself
    return len(set(re.findall(r"\d+(?:\.\d+)?", attack.completion))) in (1, 2)
