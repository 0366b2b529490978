r"""What verifiers of puzzles share: an answer in an asked-for form, without LaTeX wrappers, and short for a detail."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from rlpt.verifiers.answers import FORMS

SHOWN = 80
"""Characters of an answer in a verdict's detail."""

_NESTING = 4
_WRAPPER = re.compile(
    r"\\(?:text(?:bf|it|rm|sf|tt|normal|up)?|mathrm|mathbf|mathsf|mathit|mathtt|mbox|emph|boldsymbol|underline)"
    r"\s{0,9}\{([^{}]*)\}"
)
_SPACE = re.compile(r"(?<!\\)\\[ ,;:!]|\\q?quad(?![A-Za-z])|(?<!\\)~")
_DELIMITER = re.compile(r"(?<!\\)\$|(?<!\\)\\[()\[\]]|\\(?:left|right)(?![A-Za-z])")


def asked_for(text: str, forms: Sequence[str], known: Mapping[str, Callable[[str], str | None]] = FORMS) -> str | None:
    """Return the answer's text in the first of `forms` that occurs; None where none does, `""` where it is empty."""
    for form in forms:
        found = known[form](text)
        if found is not None:  # also where it is empty: an empty box is no answer, whatever stands elsewhere
            return found
    return None


def unwrapped(text: str) -> str:
    r"""Take off LaTeX that says nothing: `\text{E}` is E, `\left(`, `\,` and dollar signs go. Other braces stay."""
    for _ in range(_NESTING):
        inner = _WRAPPER.sub(r"\1", text)
        if inner == text:
            break
        text = inner
    return _DELIMITER.sub("", _SPACE.sub(" ", text))


def shown(text: str) -> str:
    """Return a text as one line for a verdict's detail."""
    line = " ".join(text[: 2 * SHOWN].split())
    return repr(line if len(line) <= SHOWN and len(text) <= 2 * SHOWN else line[:SHOWN] + "...")
