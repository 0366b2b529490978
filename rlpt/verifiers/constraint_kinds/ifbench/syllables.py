"""Whether an English word has an odd or an even number of syllables: spelling rules, and the words that break them."""

from __future__ import annotations

import re

from rlpt.verifiers.constraint_kinds.ifbench.reading import letters
from rlpt.verifiers.constraint_kinds.ifbench.syllable_words import EITHER, SYLLABLES

VOWELS = re.compile(r"[aeiouy]+")
MUTE = re.compile(
    r"[^aeiouy](?:(?<![^aeiouyrlw]l)e"  # make, not able
    r"|(?<![sxzcg])(?<![cs]h)(?<![^aeiouyrlw]l)es"  # makes, not boxes
    r"|(?<![td])(?<![^aeiouyrlw]l)ed)$"  # asked, not wanted
)
MUTE_INSIDE = re.compile(
    r"[^aeiouyl]e(?=(?:ly|ments?|ful|less|ness|some|where|times?|thing|day|body|work|lines?|house|back|one|by|ton|land)$)"
)
APART = re.compile(  # two vowels that are said apart
    r"(?<![ctgs])ia|(?<=[pt])ia(?=t)|ia(?=ti)|aism|(?<![ctgsxnl])io|iu|(?<!g)eo(?!u)|oem|oet|(?<![gq])ua|uin"
    r"|(?<!q)(?:uie|uo(?!u))|uou|[aeiouy](?=ing(?:ly|s)?$)|ie(?=(?:t|ty|ts)$)|(?<![ctf])ie(?=n(?:t|ts|ce|ces|cy)$)"
    r"|(?<=[^aeioupt])ie(?=(?:r|rs|st)$)|creat|react|(?<=r)ea(?=lit|lis|liz)|(?<=id)ea(?=s?$)|(?<=ar)ea(?=s?$)"
    r"|(?<=[ao])ye(?=r)"
)
RHYTHM = re.compile(r"(?:s|th)ms?$")  # the m of "rhythm" and "prism"
HYPHENS = re.compile("[-\u2010\u2011]")
ENDINGS = ("n't", "'s", "'ll", "'ve", "'re", "'d", "'m")
SPOKEN = ("n't", "'ll", "'ve", "'d")  # a syllable of their own after a consonant: "didn't", not "don't"
HISSES = ("s", "x", "z", "ch", "sh", "ce", "ge")
ACRONYM = 5  # capitals of at most this many letters may be spelled out


def syllable_parities(word: str) -> frozenset[int]:
    """1 for an odd number of syllables, 0 for an even one, both where one says the word in two ways.

    Empty for what is no word of a to z, such as a number. Wrong for one in 85 of the 19,000 commonest words, by the
    dictionary that the list is from, and for none of the 4,000 commonest but abbreviations. Rarer words and names may
    be miscounted more often.
    """
    parities = frozenset({0})
    for part in filter(None, HYPHENS.split(word)):
        parities = frozenset((one + other) % 2 for one in parities for other in _parities(part))
    return parities


def syllables(plain: str) -> int:
    """Syllables of a word in small letters a to z."""
    if plain in SYLLABLES:
        return SYLLABLES[plain]
    groups = len(VOWELS.findall(plain)) + len(APART.findall(plain)) + bool(RHYTHM.search(plain))
    return max(groups - bool(MUTE.search(plain)) - len(MUTE_INSIDE.findall(plain)), 1)


def _parities(part: str) -> set[int]:
    stem, ending = _split(part.casefold())
    plain = letters(stem)
    if not plain or not plain.isascii() or not plain.isalpha():
        return set()
    spoken = (ending == "'s" and plain.endswith(HISSES)) or (ending in SPOKEN and _closes(stem))
    counts = {syllables(plain) + spoken}
    if part.isupper() and 1 < len(plain) <= ACRONYM:
        counts.add(len(plain) + 2 * plain.count("w"))
    if plain in EITHER:
        counts |= {count + 1 for count in counts}
    return {count % 2 for count in counts}


def _closes(stem: str) -> bool:
    """Whether a stem ends with a consonant that needs a vowel before the next: `did` and `have`, not `we` and `are`."""
    heard = stem[:-1] if stem.endswith("e") and len(VOWELS.findall(stem)) > 1 else stem
    return heard[-1] not in "aeiouwyr"


def _split(folded: str) -> tuple[str, str]:
    """A contraction's stem and ending: `could` and `n't`."""
    ending = next((ending for ending in ENDINGS if folded.endswith(ending) and len(folded) > len(ending)), "")
    return folded.removesuffix(ending), ending
