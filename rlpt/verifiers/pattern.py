r"""The verifier `pattern`: does a response have a form, whatever its content?

It reads no reference. Mostly it is a member of `all_of` or `weighted`, beside a verifier of the answer.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from typing import Any

from rlpt.errors import UserError
from rlpt.records import Task, Verdict
from rlpt.verifiers.answers import FORMS, response

MATCHES: Mapping[str, Callable[[re.Pattern[str], str], re.Match[str] | None]] = {
    "fullmatch": lambda pattern, text: pattern.fullmatch(text),
    "search": lambda pattern, text: pattern.search(text),
}
TEXTS: Mapping[str, Callable[[str], str]] = {"response": response, "completion": lambda completion: completion}

DECIDED = frozenset({"POSSESSIVE_REPEAT", "ATOMIC_GROUP", "ASSERT", "ASSERT_NOT"})
"""Operations that give back nothing of what they took."""

_PARSER = import_module("re._parser")  # no public name gives a pattern's structure


class PatternVerifier:
    r"""Reward 1.0 where the text has the asked-for form, else 0.0.

    `form`: `boxed`, `hash` or `tag`: there must be an answer in it; None asks for no form. `pattern`: a regular
    expression of Python's `re` that what stands in the form must match, or the whole text where no form is asked for;
    None asks for none. `match`: whether all of it must (`fullmatch`) or a part of it (`search`). `text`: `response`,
    what follows the thoughts up to the end of the turn, or `completion`, all of it.

    `re` backtracks. Against that, texts of more than `max_length` characters do not match, and a pattern with a repeat
    or a choice inside a repeat (`(a+)+`, `(a|b)+`) is refused unless the inner one is possessive or atomic (`(a++)+`,
    `(?>a|b)+`). Many repeats one after the other (`.*.*.*x`) are a matter of `max_length` and of the verdict's clock.

    Parts of a verdict: `format`, the same as the reward.
    """

    def __init__(
        self,
        form: str | None = "boxed",
        pattern: str | None = None,
        match: str = "fullmatch",
        text: str = "response",
        max_length: int = 4000,
    ) -> None:
        """Raises UserError for a pattern that is none, and for settings that ask for nothing."""
        if form is not None and form not in FORMS:
            raise UserError(f"pattern: form must be one of {', '.join(FORMS)} or null; got {form!r}.")
        if match not in MATCHES:
            raise UserError(f"pattern: match must be one of {', '.join(MATCHES)}; got {match!r}.")
        if text not in TEXTS:
            raise UserError(f"pattern: text must be one of {', '.join(TEXTS)}; got {text!r}.")
        if max_length < 1:
            raise UserError(f"pattern: max_length={max_length} must be 1 or more.")
        if form is None and pattern is None:
            raise UserError("pattern: neither form nor pattern is set, so everything would be paid; set one of them.")
        self.form = form
        self.pattern = None if pattern is None else compiled(pattern)
        self.max_length = max_length
        self._matches = MATCHES[match]
        self._text = TEXTS[text]

    def verify(self, task: Task, completion: str) -> Verdict:
        """Judge a completion. The task does not matter."""
        problem = self._problem(self._text(completion))
        if problem is None:
            return Verdict(1.0, "correct", "it has the form", {"format": 1.0})
        return Verdict(0.0, "wrong", problem, {"format": 0.0})

    def check_reference(self, reference: Mapping[str, Any]) -> None:
        """Any reference will do."""

    def _problem(self, text: str) -> str | None:
        """What the text lacks; None where nothing."""
        if self.form is not None:
            found = FORMS[self.form](text)
            if not found:
                return f"no answer in the form {self.form}"
            text = found
        if self.pattern is None:
            return None
        if len(text) > self.max_length:
            return f"{len(text)} characters are more than {self.max_length}"
        if self._matches(self.pattern, text) is None:
            return f"{text[:80]!r} does not match {self.pattern.pattern!r}"
        return None


def compiled(pattern: str) -> re.Pattern[str]:
    """Return a configured regular expression, ready to be used.

    Raises:
        UserError: where it is none, or may take time that grows exponentially with the text.
    """
    try:
        ready = re.compile(pattern)
        ambiguous = _is_ambiguous(_PARSER.parse(pattern))
    except (re.error, OverflowError, RecursionError) as error:
        raise UserError(f"pattern: {pattern!r} is no regular expression: {error}.") from error
    if ambiguous:
        raise UserError(
            f"pattern: {pattern!r} has a repeat or a choice within a repeat, which can take for ever; make the inner "
            "one possessive or atomic, such as (?:a++)+ for (?:a+)+ and (?>a|b)+ for (?:a|b)+."
        )
    return ready


def _is_ambiguous(parsed: Any, repeated: bool = False) -> bool:  # noqa: ANN401
    """Whether a parsed pattern repeats something that can match the same text in several ways.

    With n repeats there are then exponentially many ways through a text, all of which `re` tries before it gives up.
    """
    for operation, argument in parsed:
        name = str(operation)
        repeats = name in ("MAX_REPEAT", "MIN_REPEAT")
        if repeated and (name == "BRANCH" or (repeats and argument[0] != argument[1])):
            return True
        inside = name not in DECIDED and (repeated or (repeats and argument[1] > 1))
        if any(_is_ambiguous(part, inside) for part in _parts(argument)):
            return True
    return False


def _parts(argument: Any) -> Iterator[Any]:  # noqa: ANN401
    """The parsed patterns within an operation's argument, however deep they stand in its tuples and lists."""
    if isinstance(argument, _PARSER.SubPattern):
        yield argument
    elif isinstance(argument, tuple | list):
        for part in argument:
            yield from _parts(part)
