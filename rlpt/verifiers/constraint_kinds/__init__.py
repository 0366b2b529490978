"""The kinds of checkable constraints, by name, and how a reference's entry becomes one.

A kind is a small frozen dataclass: its fields are the arguments of the constraint, and `failure(answer)` says in a few
words why an answer does not satisfy it, or None.
"""

from __future__ import annotations

import types
import typing
from collections.abc import Mapping
from dataclasses import MISSING, fields
from difflib import get_close_matches
from functools import cache
from typing import Any, Protocol

from rlpt.errors import UserError
from rlpt.verifiers.constraint_kinds.answer import Answer
from rlpt.verifiers.constraint_kinds.counts import (
    BulletCount,
    ParagraphCount,
    PlaceholderCount,
    SentenceCount,
    WordCount,
    WordFrequency,
)
from rlpt.verifiers.constraint_kinds.form import (
    LowerCase,
    NoCommas,
    NoDigits,
    Postscript,
    Quotation,
    Title,
    UpperCase,
)
from rlpt.verifiers.constraint_kinds.ifbench.counting_kinds import COUNTING
from rlpt.verifiers.constraint_kinds.ifbench.shaping_kinds import SHAPING
from rlpt.verifiers.constraint_kinds.ifeval import IFEVAL
from rlpt.verifiers.constraint_kinds.substance import NoEcho, NoLoop, OnTopic, Prose
from rlpt.verifiers.constraint_kinds.wording import AvoidWords, EndsWith, IncludeWords, StartsWith


class Constraint(Protocol):
    """One thing that an answer must satisfy."""

    def failure(self, answer: Answer) -> str | None:
        """Return why `answer` does not satisfy it, in a few words, or None where it does."""
        ...


SUBSTANCE: Mapping[str, type[Constraint]] = {"prose": Prose, "on_topic": OnTopic}
"""Kinds that make a text an answer at all; a verdict's `format` part stands for them."""

KINDS: Mapping[str, type[Constraint]] = {
    **SUBSTANCE,
    "avoid_words": AvoidWords,
    "bullet_count": BulletCount,
    "ends_with": EndsWith,
    "include_words": IncludeWords,
    "lower_case": LowerCase,
    "no_commas": NoCommas,
    "no_digits": NoDigits,
    "paragraph_count": ParagraphCount,
    "placeholder_count": PlaceholderCount,
    "postscript": Postscript,
    "quotation": Quotation,
    "sentence_count": SentenceCount,
    "starts_with": StartsWith,
    "title": Title,
    "upper_case": UpperCase,
    "word_count": WordCount,
    "word_frequency": WordFrequency,
    **IFEVAL,
    **COUNTING,
    **SHAPING,
}

ALWAYS: tuple[Constraint, ...] = (NoLoop(), NoEcho())
"""Asked of every answer, whatever the task says."""


def build(entry: object) -> tuple[str, Constraint]:
    """Return the kind's name and the constraint of one entry, `{"kind": ..., "args": {...}}`.

    Raises:
        UserError: for an unknown kind (naming those that exist), unknown, missing or ill-typed arguments.
    """
    if not isinstance(entry, Mapping) or not isinstance(entry.get("kind"), str) or set(entry) - {"kind", "args"}:
        raise UserError(f'A constraint is {{"kind": name, "args": {{...}}}}, not {entry!r:.200}.')
    kind, args = entry["kind"], entry.get("args", {})
    if kind not in KINDS:
        near = get_close_matches(kind, KINDS, n=1)
        hint = f"did you mean {near[0]!r}? The" if near else "the"
        own = ", ".join(sorted(name for name in KINDS if ":" not in name))
        raise UserError(
            f"There is no constraint kind {kind!r}; {hint} kinds are {own} and the ids of IFEval and IFBench."
        )
    if not isinstance(args, Mapping):
        raise UserError(f"Constraint {kind}: args must be an object, not {args!r:.100}.")
    return kind, _construct(kind, KINDS[kind], args)


def _construct(kind: str, constraint: type[Constraint], args: Mapping[str, Any]) -> Constraint:
    hints = _hints(constraint)
    known = {field.name: field for field in fields(constraint)}  # type: ignore[arg-type]
    takes = f"it takes {', '.join(known)}" if known else "it takes none"
    for name in args:
        if name not in known:
            raise UserError(f"Constraint {kind} has no argument {name!r}; {takes}.")
    for name, field in known.items():
        if name not in args and field.default is MISSING:
            raise UserError(f"Constraint {kind} lacks its argument {name!r}; {takes}.")
    values: dict[str, Any] = {name: _typed(kind, name, value, hints[name]) for name, value in args.items()}
    try:
        return constraint(**values)
    except ValueError as error:
        raise UserError(f"Constraint {kind}: {error}; mend the task's reference.") from error


@cache
def _hints(constraint: type[Constraint]) -> Mapping[str, Any]:
    """The types of its arguments. Looking them up compiles the annotations, too slow for every verdict."""
    return typing.get_type_hints(constraint)


def _typed(kind: str, name: str, value: object, hint: object) -> object:
    """Check a JSON value against a field's annotation; lists become tuples."""
    options = typing.get_args(hint) if isinstance(hint, types.UnionType) else (hint,)
    for option in options:
        items = typing.get_args(option)
        if items and isinstance(value, list | tuple):
            wanted = [items[0]] * len(value) if items[-1] is Ellipsis else list(items)
            if len(wanted) == len(value) and all(map(_is, value, wanted)):
                return tuple(value)
        elif not items and _is(value, option):
            return value
    words = " or ".join(str(getattr(option, "__name__", option)).replace("NoneType", "null") for option in options)
    raise UserError(f"Constraint {kind}: argument {name!r} must be {words}, not {value!r:.100}.")


def _is(value: object, wanted: type) -> bool:
    """Whether a JSON value is of a type; true and false are no numbers, a whole number is also a float."""
    if isinstance(value, bool):
        return wanted is bool
    return isinstance(value, wanted) or (wanted is float and isinstance(value, int))
