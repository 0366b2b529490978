"""The words behind the verbs that take runs and a few options, such as `rlpt compare RUN RUN n=4`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from rlpt.config.nearest import nearest, one_of
from rlpt.errors import UserError


def split_words(verb: str, argv: Sequence[str], examples: Mapping[str, str]) -> tuple[list[str], dict[str, str]]:
    """What is named, and the options that are set.

    Args:
        verb: for messages, such as `compare`.
        argv: the words after it.
        examples: the options that it has, each with a value for messages.

    Raises:
        UserError: for an option that it does not have, or one without a value.
    """
    names = [word for word in argv if not _is_option(word, examples)]
    return names, dict(_option(verb, word, examples) for word in argv if _is_option(word, examples))


def _is_option(word: str, examples: Mapping[str, str]) -> bool:
    """Folders of sweeps hold `=` in their names, so a word is an option where no such folder or file is there."""
    key, equals, _ = word.partition("=")
    if key.lstrip("-") in examples:
        return True
    return bool(equals) and not Path(word).exists() and not Path(word.rpartition("@")[0] or word).exists()


def _option(verb: str, word: str, examples: Mapping[str, str]) -> tuple[str, str]:
    key, _, value = word.removeprefix("--").partition("=")
    if key not in examples:
        near = nearest(key, list(examples))
        hint = f"did you mean {near[0]}=?" if near else f"it has {one_of(list(examples))}."
        raise UserError(f"rlpt {verb} has no option '{key}'; {hint}")
    if not value:
        raise UserError(f"{word}: {key} has no value; write {key}={examples[key]}.")
    return key, value
