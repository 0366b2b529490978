"""Whether a text starts with an English verb: lists, endings, and the word after it."""

from __future__ import annotations

from itertools import islice

from rlpt.verifiers.constraint_kinds.ifbench.lexicon import AUXILIARIES, FINITE, OPENERS, PERSONAL, PREPOSITIONS
from rlpt.verifiers.constraint_kinds.ifbench.reading import spaced_words
from rlpt.verifiers.constraint_kinds.ifbench.verb_words import ALSO_NOUNS, IRREGULAR, VERBS

OBJECTS = OPENERS | PERSONAL | {"what", "how", "why", "where", "when", "whether", "if", "who", "which", "not", "only"}
SUBJECT_MODALS = frozenset({"will", "may", "must", "need"})
NOUNS_IN_ING = frozenset(
    {"banking", "being", "building", "clothing", "engineering", "evening", "funding", "housing", "marketing"}
    | {"meeting", "painting", "pricing", "training", "wedding"}
)
SUBJECT_SIGNS = FINITE - {"do", "have"} | {"of"}  # after a base form: it is a noun, "Help is near"


def starts_with_verb(text: str) -> bool:
    """Whether the first word is a verb, in any form, as far as the next one shows.

    An `-ing` form of a verb is one, and a base form, unless the next word makes it a subject: "Help is near". Where it
    may as well be a noun or adjective ("Plan", "Based", "Uses"), the next word must be one that follows verbs: a
    determiner, pronoun, preposition or adverb. So "Answer questions" is not known as a verb, nor are verbs that the
    lists lack and those of other languages.
    """
    first_two = list(islice(spaced_words(text), 2))
    if not first_two:
        return False
    first = first_two[0][1].casefold()
    gap, following = (first_two[1][0], first_two[1][1]) if len(first_two) > 1 else (".", "")
    follower = following.casefold() if gap.isspace() else ""
    if first in AUXILIARIES:
        return True
    if first in SUBJECT_MODALS and follower:
        return follower in OBJECTS or follower.endswith("ing") or (first != "need" and following.islower())
    stem = first.partition("'")[0]
    if first != stem and first != "let's":
        return False
    if _is_clear(stem):
        return stem.endswith("ing") or follower not in SUBJECT_SIGNS
    return _may_be(stem) and _follows_verbs(follower)


def _follows_verbs(word: str) -> bool:
    return word in OBJECTS or word in PREPOSITIONS or (word.endswith("ly") and len(word) > 4)


def _is_clear(word: str) -> bool:
    """A base or `-ing` form that is no noun."""
    if word in NOUNS_IN_ING:
        return False
    stems = [word, *(_ing_stems(word))]
    stems += [stem[2:] for stem in stems if stem.startswith("re") and len(stem) > 5]  # "rethink"
    return any(stem in VERBS for stem in stems) or any(stem in ALSO_NOUNS for stem in _ing_stems(word))


def _may_be(word: str) -> bool:
    """A form that is a verb's as well as a noun's or adjective's."""
    stems = [word, *_ing_stems(word), *_ed_stems(word), *_s_stems(word)]
    return word in IRREGULAR or any(stem in ALSO_NOUNS or stem in VERBS for stem in stems)


def _ing_stems(word: str) -> list[str]:
    return _stems(word.removesuffix("ing")) if word.endswith("ing") else []


def _ed_stems(word: str) -> list[str]:
    if word.endswith("ied"):
        return [word[:-3] + "y", word[:-1]]
    return _stems(word.removesuffix("ed")) if word.endswith("ed") else []


def _s_stems(word: str) -> list[str]:
    if word.endswith("ies"):
        return [word[:-3] + "y"]
    return [word[:-1], word.removesuffix("es")] if word.endswith("s") and not word.endswith("ss") else []


def _stems(cut: str) -> list[str]:
    """Base forms of what is left before `-ing` and `-ed`: `mak`, `runn`, `walk`, `ly`."""
    doubled = [cut[:-1]] if len(cut) > 2 and cut[-1] == cut[-2] else []
    tied = [cut[:-1] + "ie"] if cut.endswith("y") else []
    return [cut, cut + "e", *doubled, *tied]
