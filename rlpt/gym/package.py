"""The package reasoning-gym: whether it is here in the release that has been read, and what it has to offer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields
from functools import cache
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from rlpt.errors import UserError
from rlpt.gym.rules import RULES
from rlpt.gym.unsafe import UNSAFE

RELEASE = "0.1.25"
"""The one whose scorers have been read. Another one may evaluate answers where this one does not."""
INSTALL = 'pip install "rlpt[reasoning_gym]"'
SET_BY_RLPT = frozenset({"seed", "size"})

Scorer = Callable[[str, Mapping[str, Any]], float]


def load() -> None:
    """Import the package.

    Raises:
        UserError: where it is missing or another release, naming the command that mends it.
    """
    try:
        found = version("reasoning-gym")
    except PackageNotFoundError:
        raise UserError(f"reasoning_gym needs the package reasoning-gym; install it with: {INSTALL}") from None
    if found != RELEASE:
        raise UserError(
            f"reasoning_gym: reasoning-gym {found} is installed, but rlpt knows the scorers of {RELEASE} alone, and "
            f"others may run what an answer says; install that one with: {INSTALL}"
        )
    import_module("reasoning_gym")


def check_name(name: object) -> None:
    """Refuse a generator that may not be used.

    Raises:
        UserError: saying why, or naming those that may.
    """
    if isinstance(name, str) and name in UNSAFE:
        raise UserError(f"reasoning_gym: {name} cannot be used: {UNSAFE[name]}.")
    if not isinstance(name, str) or name not in RULES:
        raise UserError(f"reasoning_gym: there is no dataset {name!r}; those that can be used are {', '.join(RULES)}.")


def generator(name: str, options: Mapping[str, Any], seed: int, size: int) -> Any:  # noqa: ANN401
    """Return a generator: `generator[i]` makes its item number `i`, a dict with question, answer and metadata.

    Raises:
        UserError: for a name or options that it does not take.
    """
    check_name(name)
    load()
    _, config_class = import_module("reasoning_gym.factory").DATASETS[name]
    known = {field.name for field in fields(config_class)} - SET_BY_RLPT
    unknown = [option for option in options if option not in known]
    if unknown:
        raise UserError(f"reasoning_gym: {name} has no option {unknown[0]!r}; it has {', '.join(sorted(known))}.")
    try:
        return import_module("reasoning_gym").create_dataset(name, seed=seed, size=size, **options)
    except Exception as error:  # whatever the package's own checks raise; most are assertions
        given = ", ".join(f"{option}={value}" for option, value in options.items())
        raise UserError(f"reasoning_gym: {name} does not take {given}: {error or type(error).__name__}.") from error


@cache
def scorer(name: str) -> Scorer:
    """Return a generator's own `score_answer`: of an answer and an item, the score, mostly in [0, 1]."""
    check_name(name)
    load()
    own: Scorer = import_module("reasoning_gym").get_score_answer_fn(name)
    return own
