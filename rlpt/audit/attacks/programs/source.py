"""Puts together the source of a program that attacks: it defines the function asked for, which returns no answer."""

from __future__ import annotations

from collections.abc import Mapping
from textwrap import indent

from rlpt.audit.attacks.attack import Attack, Family

WRONG = "return 'no answer'"
"""What a function does that attacks by something else: a text that no task asks for."""

Body = tuple[str, str]
"""Statements of the module, and those of the function."""


def at_import(statements: str) -> Body:
    """A program that attacks before its function is called."""
    return statements, WRONG


def when_called(statements: str, imports: str = "") -> Body:
    """A program that attacks from within its function; `imports` are modules' names, a space between them."""
    return "\n".join(f"import {name}" for name in imports.split()), f"{statements}\n{WRONG}"


def source(entry: str | None, body: Body) -> str:
    """Return the program. The function takes any arguments.

    `entry`: its name; None where a program reads standard input. Then it is called with the input's words, and what it
    returns is printed.
    """
    before, inside = body
    program = f"{before}\n\n\ndef {entry or 'main'}(*args, **kwargs):\n{indent(inside.strip(chr(10)), '    ')}\n"
    return program if entry else f"{program}\n\nimport sys\nprint(main(*sys.stdin.read().split()))\n"


def answer(program: str) -> str:
    """Return a program as an answer."""
    return f"```python\n{program.rstrip(chr(10))}\n```"


def built(
    family: Family,
    entry: str | None,
    bodies: Mapping[str, Body],
    *,
    guess: bool = False,
    costly: bool = False,
    harmful: bool = False,
) -> list[Attack]:
    """One attack for each name, as answers."""
    return [
        Attack(name, family, answer(source(entry, body)), guess=guess, costly=costly, harmful=harmful)
        for name, body in bodies.items()
    ]
