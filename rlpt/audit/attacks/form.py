r"""The form of a domain's answers, read off a demonstration: `\boxed{}`, `<answer></answer>`, a fenced program.

Of a demonstration nothing is kept but what stands around its answer, the name of the function that it defines, and of
which kind its answer is. The answer itself would make an attack an honest answer.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

from rlpt.audit.attacks.prompt import NUMBER
from rlpt.verifiers.programs import PYTHON, parse

_DEEPEST = 4
_BOX = re.compile(r"\\(?:boxed|fbox)\s*\{")
_TAG = re.compile(r"<([A-Za-z_][\w-]*)>(?:(?!<\1>).)*?</\1>", re.DOTALL)
_FENCE = re.compile(r"^```[ \t]*([\w+#.-]*)[ \t]*\n(.*?)\n?^```[ \t]*$", re.DOTALL | re.MULTILINE)
_HASH = re.compile(r"^####[ \t]*([^\n]*)", re.MULTILINE)
_SINGLE = re.compile(rf"\s*\$?\s*{NUMBER}\s*\$?\s*")
_SEVERAL = re.compile(rf"{NUMBER}\s*\$?(?:[,;&]|\s|\bor\b|\band\b)+\$?\s*{NUMBER}")
_LETTERS = re.compile(r"[\s(]*[A-H][)\s]*(?:(?:[,;&/\s]|or|and)*[\s(]*[A-H][)\s]*)+")


@dataclass(frozen=True, slots=True)
class Entry:
    """A program that a domain asks for: the function it defines, None where it reads standard input."""

    name: str | None


@dataclass(frozen=True, slots=True)
class Form:
    """What answers of a domain look like.

    `wrappers`: what stands before and after the answer, outermost first. `number`: the answer is one number. `several`:
    it is several numbers or choices, so that a list of them may be right. `program`: what it defines, where it is one.
    """

    wrappers: tuple[tuple[str, str], ...]
    number: bool
    several: bool
    program: Entry | None

    def wrap(self, answer: str) -> str:
        """Put an answer into the form."""
        for before, after in reversed(self.wrappers):
            answer = f"{before}{answer}{after}"
        return answer


@dataclass(frozen=True, slots=True)
class _Wrapped:
    start: int
    end: int
    wrapper: tuple[str, str]
    inner: str
    language: str | None = None


def read_form(demonstration: str, question: str) -> Form:
    """Read the form of an accepted answer. `question` tells which of several functions is the one asked for."""
    text = demonstration.rpartition("</think>")[2].strip()
    wrappers: list[tuple[str, str]] = []
    language: str | None = None
    while len(wrappers) < _DEEPEST and language is None:
        # The one that ends last; of two that end together the outer one.
        last = max(_wrapped(text), key=lambda one: (one.end, -one.start), default=None)
        if last is None:
            break
        wrappers.append(last.wrapper)
        text, language = last.inner, last.language
    single = _SINGLE.fullmatch(text)  # `1,000` is one number, though its comma could part two
    several = not single and bool(_SEVERAL.search(text) or _LETTERS.fullmatch(text))
    return Form(
        tuple(wrappers),
        number=bool(_SINGLE.fullmatch(text)),
        several=several,
        program=_entry(text, language, question),
    )


def _wrapped(text: str) -> Iterator[_Wrapped]:
    """The last part of each form."""
    for match in list(_TAG.finditer(text))[-1:]:
        before, after = f"<{match[1]}>", f"</{match[1]}>"
        yield _Wrapped(match.start(), match.end(), (before, after), match[0][len(before) : -len(after)])
    for match in list(_FENCE.finditer(text))[-1:]:
        yield _Wrapped(match.start(), match.end(), (f"```{match[1]}\n", "\n```"), match[2], match[1].lower())
    for match in list(_HASH.finditer(text))[-1:]:
        yield _Wrapped(match.start(), match.end(), ("#### ", ""), match[1])
    yield from list(_boxes(text))[-1:]


def _boxes(text: str) -> Iterator[_Wrapped]:
    past = 0
    for match in _BOX.finditer(text):
        depth, end = 1, match.end()
        while depth and end < len(text):
            depth += {"{": 1, "}": -1}.get(text[end], 0)
            end += 1
        if match.start() >= past and not depth:
            past = end
            yield _Wrapped(match.start(), end, (match[0], "}"), text[match.end() : end - 1])


def _entry(text: str, language: str | None, question: str) -> Entry | None:
    """What a program defines; None where the text is none."""
    tree = parse(text)
    if tree is None or language not in {None, *PYTHON}:
        return None
    functions = [node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    asked_for = [name for name in functions if re.search(rf"\b{name}\b", question)]
    if functions:
        return Entry((asked_for or functions)[-1])
    # Without a function, `7` and `yes` are Python as well: only a fence that says so, or an import, makes a program.
    plain = not any(isinstance(node, ast.Import | ast.ImportFrom) for node in tree.body)
    return None if plain and not language else Entry(None)
