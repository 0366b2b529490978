"""'Did you mean': the names nearest to a mistyped one, and lists of names in a sentence."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import get_close_matches


def nearest(word: str, names: Iterable[str], count: int = 1, cutoff: float = 0.6) -> list[str]:
    """Return at most `count` of `names` that `word` may stand for, best first.

    A name is also found by its initials: `lr` stands for `learning_rate`. `cutoff` is the least likeness, in [0, 1].
    """
    names = list(names)
    # Full names are entered last, so that they win over another's initials.
    spellings = {initials(name): name for name in names} | {name.lower(): name for name in names}
    found = get_close_matches(word.lower(), spellings, n=len(spellings) or 1, cutoff=cutoff)
    return list(dict.fromkeys(spellings[spelling] for spelling in found))[:count]


def initials(name: str) -> str:
    """First letters of the words of a snake_case name."""
    return "".join(part[0] for part in name.lower().split("_") if part)


ALL = 64
"""A limit for `one_of` where a user should see every option of a group."""


def one_of(names: Sequence[str], limit: int = 12) -> str:
    """Names to choose from, in a sentence: `a, b or c`; a long list is cut."""
    if len(names) > limit:
        return f"{', '.join(names[:limit])} or one of {len(names) - limit} more"
    return f"{', '.join(names[:-1])} or {names[-1]}" if len(names) > 1 else "".join(names)
