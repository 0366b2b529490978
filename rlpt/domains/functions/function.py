"""One small Python function: its words, its source, and what it does on given inputs."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

Args = tuple[Any, ...]

TYPES: Mapping[str, str] = {"x": "int", "a": "int", "b": "int", "c": "int", "text": "str", "numbers": "list"}
"""Type of a parameter by its name, for the whole grammar."""


@dataclass(frozen=True, slots=True)
class Function:
    """One function of a family.

    `wordings` end the sentence "Write a Python function `name(...)` that ...". `constants` are the values that set it
    apart from others of its family.
    """

    family: str
    parameters: tuple[str, ...]
    wordings: tuple[str, ...]
    body: str
    constants: tuple[int | str, ...] = ()

    @property
    def signature(self) -> tuple[str, ...]:
        """Types of the parameters."""
        return tuple(TYPES[parameter] for parameter in self.parameters)

    @property
    def label(self) -> str:
        """Unique in the grammar."""
        return "-".join([self.family, *map(str, self.constants)])

    @property
    def header(self) -> str:
        """`name(parameters)`."""
        return f"{self.family}({', '.join(self.parameters)})"

    @property
    def source(self) -> str:
        """A program that defines it."""
        return f"def {self.header}:\n    {self.body}\n"

    def compiled(self) -> Callable[..., Any]:
        """The function itself. Its source is this grammar's own, never a model's."""
        scope: dict[str, Any] = {}
        exec(self.source, scope)
        found: Callable[..., Any] = scope[self.family]
        return found


def outcomes(function: Callable[..., Any], inputs: Iterable[Args]) -> Iterator[tuple[Args, Any]]:
    """Yield the inputs on which `function` is defined, with its results. Lists are copied before the call."""
    for args in inputs:
        try:
            yield args, function(*(list(value) if isinstance(value, list) else value for value in args))
        except (ArithmeticError, IndexError, ValueError):
            continue


def same(first: object, second: object) -> bool:
    """Whether two results are equal and of one type: True is not 1."""
    return type(first) is type(second) and first == second


def meaning(signature: Sequence[str], function: Callable[..., Any], inputs: Iterable[Args]) -> str:
    """Return a key that two functions share exactly where they do the same on all of `inputs`."""
    results = [[args, result] for args, result in outcomes(function, inputs)]
    return sha256(json.dumps([signature, results]).encode()).hexdigest()
