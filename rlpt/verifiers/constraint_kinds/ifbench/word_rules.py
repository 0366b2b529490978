"""The kinds of IFBench (arXiv:2507.02833) about the letters and sounds of words: `words:...`."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from rlpt.verifiers.constraint_kinds.answer import Answer
from rlpt.verifiers.constraint_kinds.ifbench.reading import body, body_words, letters, plain
from rlpt.verifiers.constraint_kinds.ifbench.syllables import syllable_parities
from rlpt.verifiers.constraint_kinds.ifbench.verbs import starts_with_verb
from rlpt.verifiers.constraint_kinds.text import words

ALPHABET = "abcdefghijklmnopqrstuvwxyz"
VOWELS = "aeiou"
MOST_VOWELS = 3
PALINDROMES, PALINDROME_LENGTH = 10, 5


@dataclass(frozen=True, slots=True)
class AlphabetLoop:
    """Each word starts with the letter after that of the word before, `a` after `z`; the first letter is free."""

    def failure(self, answer: Answer) -> str | None:
        """One word alone shows nothing and fails; so does a word that starts with no letter from a to z."""
        found = body_words(answer)
        if len(found) < 2:
            return "fewer than two words"
        firsts = [_first(word) for word in found]
        if firsts[0] not in ALPHABET:
            return f'"{found[0]:.40}" starts with no letter'
        for index, (before, after) in enumerate(pairwise(firsts), 1):
            wanted = ALPHABET[(ALPHABET.index(before) + 1) % 26]
            if after != wanted:
                return f'"{found[index]:.40}" does not start with {wanted}'
        return None


@dataclass(frozen=True, slots=True)
class ThreeVowels:
    """One paragraph whose words hold at most three of the vowels a, e, i, o, u."""

    def failure(self, answer: Answer) -> str | None:
        """Lines with words are paragraphs; an accent does not make another vowel; no vowel at all fails."""
        paragraphs = sum(bool(words(line)) for line in answer.text.splitlines())
        if paragraphs != 1:
            return f"{paragraphs} paragraphs"
        found = sorted(set(plain(answer.text)) & set(VOWELS))
        return None if 0 < len(found) <= MOST_VOWELS else f"{len(found)} vowels: {', '.join(found)}"


@dataclass(frozen=True, slots=True)
class ConsonantClusters:
    """Each word has two consonants side by side. `y` is one before a vowel only: `my` has no cluster.

    The reference checker takes every `y` for a consonant, and a lone dash for a word.
    """

    def failure(self, answer: Answer) -> str | None:
        """An apostrophe does not part letters, a hyphen does; numbers have no consonants."""
        found = body_words(answer)
        if not found:
            return "no words"
        without = next((word for word in found if not _has_cluster(word)), None)
        return f'"{without:.40}" has no consonant cluster' if without else None


@dataclass(frozen=True, slots=True)
class Palindromes:
    """At least ten different words of five or more letters that read the same backwards.

    They need not be words of a dictionary, but have two different letters. The reference checker counts one ten times.
    """

    def failure(self, answer: Answer) -> str | None:
        """Case, accents and apostrophes do not count; numbers are no words."""
        spelled = {letters(word) for word in body_words(answer)}
        found = {word for word in spelled if len(word) >= PALINDROME_LENGTH and word.isalpha() and word == word[::-1]}
        count = sum(len(set(word)) > 1 for word in found)
        return f"{count} different palindromes, fewer than {PALINDROMES}" if count < PALINDROMES else None


@dataclass(frozen=True, slots=True)
class PrimeLengths:
    """Only words whose length is a prime number. Apostrophes and hyphens inside are no letters."""

    def failure(self, answer: Answer) -> str | None:
        """Letters and digits are counted; a text without words fails."""
        found = body_words(answer)
        if not found:
            return "no words"
        for word in found:
            length = sum(character.isalnum() for character in word)
            if not _is_prime(length):
                return f'"{word:.40}" has {length} letters'
        return None


@dataclass(frozen=True, slots=True)
class StartVerb:
    """The first word is an English verb, in any form; see `starts_with_verb` for what cannot be known."""

    def failure(self, answer: Answer) -> str | None:
        """Quotes, emphasis and the marks of headings and lists before it are looked past."""
        text = body(answer)
        return None if starts_with_verb(text) else f'starts with "{text[:30]}"'


@dataclass(frozen=True, slots=True)
class AlternateSyllables:
    """Words with an odd and an even number of syllables take turns. Either may begin.

    Syllables of English words, by rules of spelling and a list. A word said in two ways, such as `every`, fits both.
    """

    def failure(self, answer: Answer) -> str | None:
        """One word alone shows nothing and fails; so does one whose syllables are unknown, such as a number."""
        found = body_words(answer)
        if len(found) < 2:
            return "fewer than two words"
        wanted = frozenset({0, 1})
        for word in found:
            parities = syllable_parities(word)
            if not parities:
                return f'the syllables of "{word:.40}" are unknown'
            if not parities & wanted:
                return f'"{word:.40}" has no {"odd" if 1 in wanted else "even"} number of syllables'
            wanted = frozenset(1 - parity for parity in parities & wanted)
        return None


@dataclass(frozen=True, slots=True)
class NoConsecutiveFirstLetter:
    """No two words in a row start with the same letter, in any case, across sentences as well."""

    def failure(self, answer: Answer) -> str | None:
        """Digits are no letters. One word alone shows nothing and fails."""
        found = body_words(answer)
        if len(found) < 2:
            return "fewer than two words"
        pair = next(
            (pair for pair in pairwise(found) if _first(pair[0]) == _first(pair[1]) and pair[1][0].isalpha()), None
        )
        return f'"{pair[0]:.40}" and "{pair[1]:.40}" start with the same letter' if pair else None


def _first(word: str) -> str:
    """The first letter or digit; "?" for a combining mark alone."""
    return plain(word)[:1] or "?"


def _has_cluster(word: str) -> bool:
    text = plain(word).replace("'", "")
    flags = [
        character in ALPHABET and character not in VOWELS and (character != "y" or after in VOWELS)
        for character, after in zip(text, text[1:] + " ", strict=False)
    ]
    return any(one and other for one, other in pairwise(flags))


def _is_prime(number: int) -> bool:
    return number > 1 and all(number % divisor for divisor in range(2, int(number**0.5) + 1))
