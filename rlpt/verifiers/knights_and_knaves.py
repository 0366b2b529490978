r"""The verifier `knights_and_knaves`: does the answer state every name once, with its role?

`Task.reference = {"roles": {"Zoey": "knight", "Liam": "knave"}}`. For puzzles in which each of some people has one of
a few roles. An answer holds statements and nothing else; see `rlpt.verifiers.statements`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from rlpt.errors import UserError
from rlpt.records import Task, Verdict
from rlpt.verifiers.answers import check_forms, response
from rlpt.verifiers.asked import asked_for, shown
from rlpt.verifiers.statements import Grammar, StatementError, grammar, role_forms, stated

_MARKER = re.compile(
    r"(?:^|(?<=[.!?] ))[ \t*_#>]{0,9}(?:(?:so|thus|therefore|hence),? )?(?:(?:the|my) )?(?:final |correct )?"
    r"(?:answer|solution|conclusion)(?:\*\*|__)?(?: is)?[ \t]{0,9}(?:[:：]|$)(?:\*\*|__)?",  # noqa: RUF001
    re.IGNORECASE | re.MULTILINE,
)


class KnightsAndKnavesVerifier:
    r"""Reward 1.0 where each name of the task is stated exactly once, with its role, and no other.

    `roles`: the names of the roles, singular; such as `knight` and `knave`, or `truth-teller` and `liar`. `forms`:
    where the answer stands, tried in this order: `boxed`, `tag` (`<answer>`) or `hash` (`####`). `anywhere`: whether a
    response counts that has none of them and is itself nothing but statements, all of it or from its last "Answer:" on.
    """

    def __init__(
        self,
        roles: Sequence[str] = ("knight", "knave"),
        forms: Sequence[str] = ("boxed", "tag"),
        anywhere: bool = True,
    ) -> None:
        self.roles = _check_roles(roles)
        self.forms = check_forms(forms)
        self.anywhere = anywhere

    def verify(self, task: Task, completion: str) -> Verdict:
        """Judge a completion. Raises UserError for a reference without names and their roles."""
        expected, rules = self._puzzle(task.reference)
        text = response(completion)
        found = asked_for(text, self.forms)
        parts = {"format": 1.0 if found else 0.0}
        if found is None and self.anywhere:
            found = _after_marker(text)
        if not found:
            return Verdict(0.0, "wrong", "no answer found", parts)
        problem = _problem(expected, found, rules)
        if problem:
            return Verdict(0.0, "wrong", f"answered {shown(found)}, which {problem}", parts)
        return Verdict(1.0, "correct", f"answered {shown(found)}", parts)

    def check_reference(self, reference: Mapping[str, Any]) -> None:
        """Raise UserError where there are no names, where two read the same, or where a role is unknown."""
        self._puzzle(reference)

    def _puzzle(self, reference: Mapping[str, Any]) -> tuple[dict[str, str], Grammar]:
        """The role of each name, and how answers about them read."""
        roles = reference.get("roles")
        if not isinstance(roles, Mapping) or not roles:
            raise UserError(
                "knights_and_knaves: a reference needs a field 'roles' that gives each name its role; got "
                f"{shown(repr(roles))}."
            )
        known = {form: role for role in self.roles for form in role_forms(role)[:1]}
        expected: dict[str, str] = {}
        for name, role in roles.items():
            role = known.get(role_forms(role)[0]) if isinstance(role, str) else None
            if role is None:
                raise UserError(
                    f"knights_and_knaves: a reference's field 'roles' gives {name!r} the role {roles[name]!r}; those "
                    f"of this verifier are {', '.join(self.roles)}."
                )
            expected[str(name)] = role
        rules = grammar(tuple(expected), self.roles)
        own = ", and ".join(f"{name} is a {role}" for name, role in expected.items())
        if len(rules.names) != len(expected) or "" in rules.names or _problem(expected, own, rules):
            raise UserError(
                "knights_and_knaves: a reference's field 'roles' has names that cannot be told from each other or from "
                f"the words of a statement: {shown(', '.join(expected))}."
            )
        return expected, rules


def _check_roles(roles: Sequence[str]) -> tuple[str, ...]:
    """Return the roles; UserError where there are not at least two that read differently, also as plurals."""
    if isinstance(roles, str) or len(roles) < 2 or not all(isinstance(role, str) and role.strip() for role in roles):
        raise UserError(f"knights_and_knaves: roles must be a list of at least two names; got {roles!r}.")
    forms = Counter(form for role in roles for form in role_forms(role))
    if max(forms.values()) > 1 or not all(re.search(r"\w\Z", form) for form in forms):
        raise UserError(f"knights_and_knaves: roles must be words that read differently; got {list(roles)!r}.")
    return tuple(roles)


def _after_marker(text: str) -> str:
    """The response from its last "Answer:" on, or the whole of it."""
    end = 0
    for marker in _MARKER.finditer(text):
        end = marker.end()
    return text[end:].strip()


def _problem(expected: Mapping[str, str], text: str, rules: Grammar) -> str:
    """What is wrong with an answer, as a phrase; empty where nothing is."""
    try:
        statements = stated(text, rules)
    except StatementError as error:
        return str(error)
    counts = Counter(name for name, _ in statements)
    for name in expected:
        if counts[name] != 1:
            return f"states {name} {counts[name]} times" if counts[name] else f"does not state {name}"
    wrong = [name for name, role in statements if role != expected[name]]
    return f"gives a wrong role to {', '.join(wrong)}" if wrong else ""
