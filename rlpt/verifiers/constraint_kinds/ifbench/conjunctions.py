"""Coordinating conjunctions: which of the seven words join something where they stand."""

from __future__ import annotations

from rlpt.verifiers.constraint_kinds.ifbench.lexicon import AUXILIARIES, FINITE, OPENERS, SUBJECTS
from rlpt.verifiers.constraint_kinds.ifbench.reading import spaced_words
from rlpt.verifiers.constraint_kinds.ifbench.verb_words import IRREGULAR
from rlpt.verifiers.constraint_kinds.text import sentences

COORDINATING = frozenset({"for", "and", "nor", "but", "or", "yet", "so"})
CLAUSE_MARKS = frozenset(",;:\u2013\u2014(")
CLAUSE_END = frozenset(",;:\u2013\u2014()")
NEGATIONS = frozenset({"not", "never", "no", "as", "than", "be", "been", "best", "better", "worst"})
QUOTES = frozenset("\"'\u201c\u201d*_`")
REACH = 12  # words looked at for the verb of a clause: keeps long texts linear
AFTER_SO = frozenset({"that", "as", "far", "much", "many", "to", "on", "forth", "called", "long", "few", "little"})
AFTER_YET = frozenset({"to", "another", "again"})


def conjunctions(text: str) -> set[str]:
    """Which of for, and, nor, but, or, yet and so stand in the text as coordinating conjunctions.

    `and`, `but`, `or` and `nor` are always ones, if not quoted and a word follows that is none itself. `so` and `yet`
    must open a clause or, `yet`, stand between two words that it contrasts ("so much" and "not yet" are adverbs).
    `for` must open a clause with a subject and a verb ("for he was late"): "for example" is a preposition. A clause
    after `for` with a noun and only a present tense ("for time flies") is not known as one.
    """
    found: set[str] = set()
    for sentence in sentences(text):
        spaced = list(spaced_words(sentence))
        folded = [word.casefold() for _, word in spaced]
        for index, word in enumerate(folded):
            if word in COORDINATING and word not in found and _joins(spaced, folded, index):
                found.add(word)
    return found


def _joins(spaced: list[tuple[str, str]], folded: list[str], index: int) -> bool:
    word = folded[index]
    if index + 1 == len(folded):
        return False
    following, between = folded[index + 1], spaced[index + 1][0]
    if spaced[index][0][-1:] in QUOTES and between[:1] in QUOTES:
        return False  # the word itself is meant
    if following in COORDINATING and not (following in {"so", "yet", "for", "nor"} and between.isspace()):
        return False  # a list of the words
    if word in {"and", "but", "or", "nor"}:
        return True
    before = folded[index - 1] if index else ""
    opens = index == 0 or bool(CLAUSE_MARKS & set(spaced[index][0])) or before in {"and", "but"}
    if word == "so":
        return (following in SUBJECTS - {"that"}) if not opens else following not in AFTER_SO
    if word == "yet":
        contrasts = not CLAUSE_END & set(between) and before not in AUXILIARIES | NEGATIONS
        return following not in AFTER_YET and (opens or contrasts)
    return opens and _is_clause(spaced, folded, index + 1)


def _is_clause(spaced: list[tuple[str, str]], folded: list[str], start: int) -> bool:
    """Whether a subject and its verb stand from `start` to the next mark."""
    if folded[start] in SUBJECTS - OPENERS:
        return not CLAUSE_END & set(spaced[start][0])
    for index in range(start, min(start + REACH, len(folded))):
        if CLAUSE_END & set(spaced[index][0]):
            return False
        word = folded[index]
        past = word in IRREGULAR or (word.endswith("ed") and len(word) > 4)
        if index > start and (word in FINITE or (past and folded[index - 1] not in OPENERS)):
            return True
    return False
