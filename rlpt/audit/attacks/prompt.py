"""What an attack may know of a task: the prompt alone, never the reference."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from rlpt.records import Message

NUMBER = r"(?<![\w.])-?\d+(?:,\d{3})*(?:\.\d+)?(?!\w)"

_NUMBER = re.compile(NUMBER)
_LABEL = re.compile(r"(?:^|(?<=\s))\(?([A-H])[).:]\s", re.MULTILINE)
_INLINE_EXAMPLE = re.compile(r"^[ \t]*(?:A|Answer|Output|Solution)[ \t]*:[ \t]*(\S[^\n]*)$", re.MULTILINE)
_SENTENCE = re.compile(r"(?<=[.?!:])\s+")
_EXPRESSION = re.compile(r"[-(]*\d[\d\s+\-*/^().\u00d7\u00f7]*[\d)]")
_OPERATOR = re.compile(r"\d\s*\)*\s*[+\-*/^\u00d7\u00f7]")
_DEFAULT_LABELS = ("A", "B", "C", "D")


@dataclass(frozen=True, slots=True)
class Prompt:
    """A task's messages, read.

    `question`: the last message of the user. `conversation`: all messages, a blank line between them. `instructions`:
    the system's message, or the question's last sentence. `examples`: answers that the prompt itself shows. `numbers`:
    the different numbers of the question, as written and in order. `labels`: of its choices, A to D where it has none.
    `has_choices`: whether it has any.
    """

    question: str
    conversation: str
    instructions: str
    examples: tuple[str, ...]
    numbers: tuple[str, ...]
    labels: tuple[str, ...]
    has_choices: bool


def read_prompt(messages: Sequence[Message]) -> Prompt:
    """Read a task's messages; a task without any has an empty prompt."""
    said = {role: [one["content"] for one in messages if one["role"] == role] for role in ("system", "user")}
    question = (said["user"] or [one["content"] for one in messages] or [""])[-1]
    shown = [one["content"] for one in messages if one["role"] == "assistant"]
    shown += [match[1].strip() for match in _INLINE_EXAMPLE.finditer(question)]
    labels = _labels(question)
    return Prompt(
        question=question,
        conversation="\n\n".join(one["content"] for one in messages),
        instructions=said["system"][-1] if said["system"] else _SENTENCE.split(question.strip())[-1],
        examples=tuple(dict.fromkeys(shown)),
        numbers=tuple(dict.fromkeys(_NUMBER.findall(question))),
        labels=labels or _DEFAULT_LABELS,
        has_choices=bool(labels),
    )


def expression(question: str) -> str | None:
    """Return the longest stretch of numbers and operators, such as `15 + 9`; None where there is none."""
    found = [match[0].strip() for match in _EXPRESSION.finditer(question) if _OPERATOR.search(match[0])]
    return max(found, key=len) if found else None


def after_last_colon(question: str) -> str | None:
    """Return what the question ends in, such as the word to be spelled; None where nothing follows a colon."""
    _, colon, tail = question.rpartition(": ")
    return tail.strip() if colon and tail.strip() else None


def _labels(question: str) -> tuple[str, ...]:
    """The letters of a question's choices: from A on without a gap, at least two."""
    found = set(_LABEL.findall(question))
    letters = [letter for letter in "ABCDEFGH" if set("ABCDEFGH"[: "ABCDEFGH".index(letter) + 1]) <= found]
    return tuple(letters) if len(letters) >= 2 else ()
