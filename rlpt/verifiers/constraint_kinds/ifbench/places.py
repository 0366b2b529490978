"""IFBench kinds that ask for a list of places: `custom:reverse_newline`, `custom:european_capitals_sort`."""

# ruff: noqa: SIM905 -- lists of names read better as text.

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from rlpt.verifiers.constraint_kinds.answer import BULLET, Answer

CAPITALS = (
    "reykjavik helsinki oslo tallinn stockholm riga moscow copenhagen vilnius minsk dublin berlin amsterdam warsaw "
    "london brussels kyiv prague luxembourg paris vienna bratislava budapest vaduz chisinau bern ljubljana zagreb"
).split()
"""North of 45 degrees, from north to south. The reference forgets Kyiv (50.45 degrees)."""

CAPITAL_ALIASES = {"kiev": "kyiv", "luxembourg city": "luxembourg", "berne": "bern", "kishinev": "chisinau"}

AFRICA = """
algeria; angola; benin; botswana; burkina faso; burundi; cabo verde, cape verde; cameroon
central african republic; chad; comoros, union of comoros; djibouti; egypt; equatorial guinea; eritrea
democratic republic of the congo, democratic republic of congo, dr congo, drc, congo democratic republic of the, \
congo democratic republic of, congo democratic republic, congo kinshasa, congo dr, congo drc
republic of the congo, republic of congo, congo republic of the, congo republic of, congo republic, congo, \
congo brazzaville
cote d ivoire, ivory coast; eswatini, swaziland; ethiopia; gabon; gambia; ghana; guinea; guinea bissau; kenya; lesotho
liberia; libya; madagascar; malawi; mali; mauritania; mauritius; morocco; mozambique; namibia; niger; nigeria; rwanda
sao tome and principe, sao tome principe; senegal; seychelles; sierra leone; somalia; south africa; south sudan; sudan
tanzania; togo; tunisia; uganda; zambia; zimbabwe
"""
"""The 54 members of the United Nations, each with its other names, as `_fold` writes them."""

COUNTRIES = {
    alias.strip(): country.split(",")[0].strip()
    for country in AFRICA.strip().replace("\n", ";").split(";")
    for alias in country.split(",")
}
DISPUTED = {"western sahara", "sahrawi arab democratic republic", "somaliland"}
"""May stand in the list or not."""


@dataclass(frozen=True, slots=True)
class AfricaReversed:
    """The countries of Africa, one a line, all 54 and each once, in reverse alphabetical order.

    A line before the list may introduce it. The reference counts lines, without asking what they name.
    """

    def failure(self, answer: Answer) -> str | None:
        """Each name is sorted as written; a leading "The" may count or not."""
        lines = [BULLET.sub("", line).strip() for line in answer.text.splitlines()]
        lines = [line for line in lines if _fold(line)]
        if lines and _country(lines[0]) is None:
            lines = lines[1:]
        named = [_country(line) for line in lines]
        if None in named:
            return f'"{lines[named.index(None)][:40]}" is no country of Africa'
        missing = set(COUNTRIES.values()) - set(named)
        if missing:
            return f"without {', '.join(sorted(missing)[:5])}"
        if len(set(named)) < len(named):
            return "a country stands twice"
        keys = [_fold(line) for line in lines]
        sorted_either_way = _falls(keys) or _falls([key.removeprefix("the ") for key in keys])
        return None if sorted_either_way else "not in reverse alphabetical order"


@dataclass(frozen=True, slots=True)
class CapitalsByLatitude:
    """The names in `CAPITALS` in that order, parted by commas, and nothing else."""

    def failure(self, answer: Answer) -> str | None:
        """Accents, case, a last full stop and an "and" before the last name make no difference."""
        names = [_fold(name) for name in answer.text.split(",")]
        names[-1] = names[-1].removeprefix("and ")
        names = [CAPITAL_ALIASES.get(name, name) for name in names]
        for place, capital in enumerate(CAPITALS):
            if names[place : place + 1] != [capital]:
                return f"{capital.capitalize()} is not number {place + 1}"
        return None if len(names) == len(CAPITALS) else f"{len(names)} names, not {len(CAPITALS)}"


def _country(line: str) -> str | None:
    """The country that a line names, also with another name in brackets: `Eswatini (Swaziland)`."""
    for name in (line, line.partition("(")[0]):
        key = _fold(name).removeprefix("the ")
        if key in COUNTRIES:
            return COUNTRIES[key]
        if key in DISPUTED:
            return key
    return None


def _fold(text: str) -> str:
    """Small letters without accents, words parted by one space."""
    plain = "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c))
    return " ".join(re.findall(r"[^\W_]+", plain.casefold()))


def _falls(keys: Sequence[str]) -> bool:
    return all(before > after for before, after in pairwise(keys))
