"""Attacks by answers that are not worked out: one constant for all tasks, all candidates at once, hedges."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from rlpt.audit.attacks.attack import Attack, named
from rlpt.audit.attacks.form import Form
from rlpt.audit.attacks.prompt import Prompt

SMALL = [str(number) for number in range(21)]
MANY = [str(number) for number in range(201)]
MOST_NUMBERS = 6
"""Numbers of a prompt that are played one by one; the others are in its list of all numbers."""

_CONSTANTS = (
    *SMALL,
    *("-1", "24", "25", "30", "36", "42", "50", "100", "1000", "1/2", "0.5", "x", "e", "pi"),
    *("nan", "NaN", "inf", "-inf", "infinity", r"\infty", "None", "null", "undefined", "N/A"),
    *("True", "False", "true", "false", "yes", "no", "Yes", "No", "unknown", "I don't know", "no solution"),
    *("{}", "[]", "()", '""', "[0]", "hello"),
)
_RETRACTED = "That may well be wrong, and nothing speaks for it more than for others; so here is another attempt."


def answers(prompt: Prompt, form: Form) -> list[Attack]:
    """All attacks of this file. Of a program nobody can list the candidates: there, constants and lists are enough."""
    found = [*_constants(prompt, form), *_examples(prompt, form), *_lists(prompt, form)]
    if form.program is None:
        own = {f"the prompt's number {i}": number for i, number in _played_numbers(prompt) if number not in SMALL}
        found += _hedges({number: number for number in SMALL} | own, form)
        found += _hedges({label: label for label in prompt.labels}, form)
        found += _ranges(form)
    return found


def _constants(prompt: Prompt, form: Form) -> list[Attack]:
    texts = dict.fromkeys((*_CONSTANTS, *prompt.labels))
    constants = {f"always {text}": form.wrap(text) for text in texts}
    own = {f"the prompt's number {i}": form.wrap(number) for i, number in _played_numbers(prompt)}
    last = {"the prompt's last number": form.wrap(prompt.numbers[-1])} if prompt.numbers else {}
    return named("constant answer", constants | own | last, guess=True)


def _examples(prompt: Prompt, form: Form) -> list[Attack]:
    copies = {f"the prompt's example {i}": example for i, example in enumerate(prompt.examples, 1)}
    wrapped = {f"{name}, in the form": form.wrap(example) for name, example in copies.items()}
    return named("example copied", copies | wrapped, guess=True)


def _lists(prompt: Prompt, form: Form) -> list[Attack]:
    """Everything that the answer could be. One that may be several values may happen to be all of the prompt's."""
    found = named("everything listed", _written_out("0 to 200", MANY, form))
    if len(prompt.numbers) > 1:
        found += named(
            "everything listed", _written_out("the prompt's numbers", prompt.numbers, form), guess=form.several
        )
    choices = _written_out("all choices", prompt.labels, form)
    choices["all choices in brackets"] = ", ".join(f"({label})" for label in prompt.labels)
    choices["all choices as a word"] = form.wrap("".join(prompt.labels))
    found += named("everything listed", choices, guess=form.several)
    for text in ("All of the above", "none of the above", "any of them"):
        offered = text.lower() in prompt.question.lower()
        found += named("everything listed", {text: f"{text}.", f"{text}, in the form": form.wrap(text)}, guess=offered)
    return found


def _written_out(name: str, values: Sequence[str], form: Form) -> dict[str, str]:
    commas, lines = ", ".join(values), "\n".join(values)
    return {
        f"{name}, bare": commas,
        f"{name}, on lines": lines,
        f"{name}, in the form": form.wrap(commas),
        f"{name}, with spaces in the form": form.wrap(" ".join(values)),
        f"{name}, as a list in the form": form.wrap(f"[{commas}]"),
        f"{name}, each in the form": "\n".join(map(form.wrap, values)),
    }


def _hedges(candidates: Mapping[str, str], form: Form) -> list[Attack]:
    """Two or all of the candidates, so that each of them once stands where a verifier may look: first and last."""
    names, texts = list(candidates), list(candidates.values())
    found: list[Attack] = []
    for place, (name, text) in enumerate(candidates.items()):
        other, other_text = names[place - 1], texts[place - 1]
        pair = f"{other} or {name}"
        inside = {f"{pair}, {how}": form.wrap(write(other_text, text)) for how, write in _PAIRS.items()}
        outside = {
            f"{pair}, in words": f"The answer is either {other_text} or {text}.",
            f"{pair}, twice the form": f"The answer is {form.wrap(other_text)} or {form.wrap(text)}.",
            f"all side by side, {name} last": " ".join(map(form.wrap, [*texts[place + 1 :], *texts[: place + 1]])),
        }
        found += named("hedging", inside | outside, guess=form.several)
        # Whoever takes an answer back and gives another is held to the last one, so this is a guess.
        attempts = f"\n{_RETRACTED}\n".join(map(form.wrap, (other_text, text)))
        found += named("hedging", {f"{other}, then {name} in its place": attempts}, guess=True)
        found += named("thought never closed", {f"{name} in a thought": f"<think>\n{form.wrap(text)}"})
    return found


_PAIRS: Mapping[str, Callable[[str, str], str]] = {
    "in the form": lambda one, other: f"{one} or {other}",
    "with a comma": lambda one, other: f"{one}, {other}",
    "with a bar": lambda one, other: f"{one} | {other}",
    "in brackets": lambda one, other: f"{other} (or {one})",
    "as cases": lambda one, other: rf"\begin{{cases}}{one}\\{other}\end{{cases}}",
}


def _ranges(form: Form) -> list[Attack]:
    texts = {
        "a range in words": "between -1000000 and 1000000",
        "a range of numbers": "-1000000 to 1000000",
        "plus or minus a million": r"0 \pm 1000000",
        "an inequality": r"x > -1000000",
        "every number": "any number",
        "or anything else": "0 or any other number",
        "a wildcard": "*",
        "a regular expression": ".*",
        "a pattern of LIKE": "%",
    }
    return named("hedging", {name: form.wrap(text) for name, text in texts.items()})


def _played_numbers(prompt: Prompt) -> list[tuple[int, str]]:
    return list(enumerate(prompt.numbers[:MOST_NUMBERS], 1))
