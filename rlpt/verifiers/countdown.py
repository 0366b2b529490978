r"""The verifier `countdown`: an arithmetic expression of the given numbers that has the target as its value.

`Task.reference = {"numbers": [1, 81, 1, 1], "target": 81}`, and `"use_all": bool` where a task differs from the
configuration. The answer is the expression, alone or followed by `= 81`. Values are exact: no quotient is rounded.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeGuard

from rlpt.errors import UserError
from rlpt.records import Task, Verdict
from rlpt.verifiers import arithmetic
from rlpt.verifiers.answers import check_forms, response
from rlpt.verifiers.asked import asked_for, shown

MOST_NUMBERS = 100
LARGEST = 10**12
"""Bounds of a reference, and thereby of what an answer can make the verifier compute."""

_RESULT = re.compile(r"\s*(-?[0-9]+)\s*")
_MARKS = (("$$", "$$"), ("$", "$"), (r"\(", r"\)"), (r"\[", r"\]"), ("`", "`"))


@dataclass(frozen=True)
class Puzzle:
    """A reference, checked. `numbers` are written as an answer has to write them."""

    numbers: Counter[str]
    target: int
    use_all: bool


class CountdownVerifier:
    r"""Reward 1.0 where the expression's value is the target and it keeps to the numbers.

    `forms`: where the expression stands, tried in this order: `boxed`, `tag` (`<answer>`) or `hash` (`#### 1 + 2`).
    `use_all`: whether every number must be used, as often as it is given; else at most as often. `fractions`: whether a
    quotient on the way may be no whole number, as in 8/(3 - 8/3) = 24.
    """

    def __init__(self, forms: Sequence[str] = ("boxed", "tag"), use_all: bool = True, fractions: bool = True) -> None:
        self.forms = check_forms(forms)
        self.use_all = use_all
        self.fractions = fractions

    def verify(self, task: Task, completion: str) -> Verdict:
        """Judge a completion. Raises UserError for a reference that is no such puzzle."""
        puzzle = self._puzzle(task.reference)
        found = asked_for(response(completion), self.forms)
        parts = {"format": 1.0 if found else 0.0}
        if not found:
            return Verdict(0.0, "wrong", "no answer found", parts)
        try:
            problem = self._problem(puzzle, found)
        except arithmetic.ExpressionError as error:
            problem = f"cannot be read: {error}"
        if problem:
            return Verdict(0.0, "wrong", f"answered {shown(found)}, which {problem}", parts)
        return Verdict(1.0, "correct", f"answered {shown(found)}", parts)

    def check_reference(self, reference: Mapping[str, Any]) -> None:
        """Raise UserError where the reference is no such puzzle. Whether it can be solved is not looked for."""
        self._puzzle(reference)

    def _problem(self, puzzle: Puzzle, text: str) -> str:
        """What is wrong with an answer, as a phrase; empty where nothing is."""
        expression, equals, result = _bare(text).partition("=")
        if equals:
            stated = _RESULT.fullmatch(result.replace("−", "-"))  # noqa: RUF001
            # compared as text: a number of any length is never converted
            if stated is None or stated[1] != str(puzzle.target):
                return f"states a result other than {puzzle.target}"
        tokens = arithmetic.tokens(expression)
        used = Counter(arithmetic.numbers(tokens))
        if used - puzzle.numbers:
            return f"uses {_listed(used - puzzle.numbers)} more often than given"
        if puzzle.use_all and puzzle.numbers - used:
            return f"leaves {_listed(puzzle.numbers - used)} unused"
        value = arithmetic.value(tokens, fractions=self.fractions)
        return "" if value == puzzle.target else f"is {_short(str(value))}, not {puzzle.target}"

    def _puzzle(self, reference: Mapping[str, Any]) -> Puzzle:
        numbers, target = reference.get("numbers"), reference.get("target")
        use_all = reference.get("use_all", self.use_all)
        if (
            not isinstance(numbers, Sequence)
            or not 1 <= len(numbers) <= MOST_NUMBERS
            or not all(_is_whole(number) and number >= 0 for number in numbers)
        ):
            raise UserError(
                f"countdown: a reference needs a field 'numbers' with 1 to {MOST_NUMBERS} whole numbers, none below 0 "
                f"or above {LARGEST}; got {shown(repr(numbers))}."
            )
        if not _is_whole(target):
            raise UserError(
                f"countdown: a reference needs a field 'target' that is a whole number of at most {LARGEST}; got "
                f"{shown(repr(target))}."
            )
        if not isinstance(use_all, bool):
            raise UserError(f"countdown: a reference's field 'use_all' must be true or false; got {use_all!r}.")
        return Puzzle(Counter(map(str, numbers)), target, use_all)


def _is_whole(number: object) -> TypeGuard[int]:
    return isinstance(number, int) and not isinstance(number, bool) and abs(number) <= LARGEST


def _bare(text: str) -> str:
    """The text without the marks of a formula or of code around it, and without a full stop."""
    text = text.strip().removesuffix(".")
    for opening, closing in _MARKS:
        if text.startswith(opening) and text.endswith(closing):
            return text.removeprefix(opening).removesuffix(closing).removesuffix(".")
    return text


def _listed(numbers: Counter[str]) -> str:
    return _short(", ".join(numbers.elements()))


def _short(text: str) -> str:
    return text if len(text) <= 40 else text[:40] + "..."
