# ruff: noqa: RUF001
"""Reads an answer that says of each name which role it has, and nothing else: "Zoey is a knight, and Liam is a knave."

A small grammar from left to right. Whatever does not belong to it makes the text unreadable, so that negations,
conditions, alternatives and unknown names are never taken for a statement. Linear in the text's length.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from rlpt.verifiers.asked import unwrapped

_APOSTROPHES = str.maketrans("’‘“”", "''\"\"")
_MARKUP = re.compile(r"```\w*|`|\*\*|(?<!\w)__|__(?!\w)")
_LINE_END = re.compile(r"\\\\")
_LEAD = re.compile(
    r"\s*(?:(?:so|thus|therefore|hence|we conclude|we have|in conclusion"
    r"|(?:the )?(?:final |correct )?(?:answer|solution|conclusion)(?: is)?)\b(?: that\b)?[\s,:]*)*"
)
_BETWEEN_STATEMENTS = re.compile(
    r"(?:\A|\s*\n|(?<=\n))[^\S\n]*[-*•]\s|\s+|[,;.&{}\[\]、，；。]|(?:and|while|whereas|but)\b"
    r"|\([0-9]{1,3}\)|[0-9]{1,3}[.)](?![0-9])"
)
_BETWEEN_NAMES = re.compile(r"\s+|[,&、，]|and\b")
_WORD_BREAK = re.compile(r"[\s-]+")
_ROLE = r"""(?:(?:an?|the)\s+)?(?P<quote{0}>["']?)(?P<role{0}>{1})(?P=quote{0})(?![\w'"-])"""


class StatementError(Exception):
    """The text is no such answer. The message is a phrase for a person."""


@dataclass(frozen=True)
class Grammar:
    """What names and roles look like; see `grammar`."""

    name: re.Pattern[str]
    predicate: re.Pattern[str]
    names: Mapping[str, str]
    roles: Mapping[str, str]


def spelled(text: str) -> str:
    """Return a text as it is compared: one Unicode form, one case, one kind of apostrophe, no markup."""
    text = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold()).translate(_APOSTROPHES)
    return _MARKUP.sub("", _LINE_END.sub("\n", unwrapped(text)))


def role_forms(role: str) -> tuple[str, ...]:
    """Return a role and its plurals as they are compared, with hyphens for spaces: `truth-teller`, `truth-tellers`."""
    word = "-".join(_WORD_BREAK.split(spelled(role).strip()))
    return word, f"{word}s", *([f"{word[:-1]}ies"] if word.endswith("y") else [])


@lru_cache(maxsize=1_024)
def grammar(names: tuple[str, ...], roles: tuple[str, ...]) -> Grammar:
    """Build the grammar of answers about `names`. Roles are to be distinct in every form."""
    known_names = {" ".join(spelled(name).split()): name for name in names}
    known_roles = {form: role for role in roles for form in role_forms(role)}
    role_pattern = _either(r"[\s-]{1,3}".join(map(re.escape, form.split("-"))) for form in known_roles)
    name_pattern = _either(r"\s+".join(map(re.escape, name.split())) for name in known_names)
    return Grammar(
        name=re.compile(rf"""(?P<quote>["']?)(?P<name>{name_pattern})(?P=quote)(?!\w)"""),
        predicate=re.compile(
            r"\s*(?:(?:(?P<verb>is|are)\s+(?:(?:both|all)\s+)?|(?:[:=]|-+>|=>|→|⇒|[-–—])\s*)"
            rf"{_ROLE.format(1, role_pattern)}"
            rf"|\(\s*{_ROLE.format(2, role_pattern)}\s*\))"
        ),
        names=known_names,
        roles=known_roles,
    )


def _either(patterns: Iterable[str]) -> str:
    """Alternatives, the longest first, so that "Alice" is never read as "Al"."""
    return "|".join(sorted(patterns, key=len, reverse=True))


def stated(text: str, rules: Grammar) -> list[tuple[str, str]]:
    """Return every statement of a text as (name, role), in order.

    Raises StatementError where any part of the text is no statement.
    """
    if "~" in text:  # a negation, or struck out
        raise StatementError("has a '~'")
    text = spelled(text)
    found: list[tuple[str, str]] = []
    subjects: list[str] = []
    lead = None if rules.name.match(text) else _LEAD.match(text)
    position = lead.end() if lead else 0
    while position < len(text):
        if name := rules.name.match(text, position):
            subjects.append(rules.names[" ".join(name["name"].split())])
            position = name.end()
            if predicate := rules.predicate.match(text, position):
                found += _statements(subjects, predicate, rules)
                subjects = []
                position = predicate.end()
            continue
        gap = (_BETWEEN_NAMES if subjects else _BETWEEN_STATEMENTS).match(text, position)
        if gap is None:
            raise StatementError(f"has {_line(text[position : position + 30])!r} where no statement can be read")
        position = gap.end()
    if subjects:
        raise StatementError(f"says nothing of {subjects[-1]}")
    return found


def _statements(subjects: Sequence[str], predicate: re.Match[str], rules: Grammar) -> list[tuple[str, str]]:
    if len(subjects) > 1 and predicate["verb"] != "are":
        raise StatementError("names several in one statement without 'are'")
    word = "-".join(_WORD_BREAK.split(predicate["role1"] or predicate["role2"]))
    return [(subject, rules.roles[word]) for subject in subjects]


def _line(text: str) -> str:
    return " ".join(text.split())
