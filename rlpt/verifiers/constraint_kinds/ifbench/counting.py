"""The kinds of IFBench (arXiv:2507.02833) that count: `count:...`. Fields are the dataset's own arguments."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise

from rlpt.verifiers.constraint_kinds.answer import Answer
from rlpt.verifiers.constraint_kinds.ifbench.conjunctions import COORDINATING, conjunctions
from rlpt.verifiers.constraint_kinds.ifbench.lexicon import NAMES, PRONOUNS
from rlpt.verifiers.constraint_kinds.ifbench.reading import body, body_words, check_whole
from rlpt.verifiers.constraint_kinds.text import count_phrase, normalize, words

NUMERAL = re.compile(
    r"(?<!\d)\d{1,3}(?:,\d{3})+(?!\d)(?:\.\d+)?"  # 1,000.5
    r"|\d+(?:\.\d+)*(?:[eE][+-]?\d+)?(?:/\d+(?![\d/]))?"  # 3.14, 6e23, 1/2
    "|[\u00bc-\u00be\u2150-\u215e]"  # one half in one character
)
MARKS = {".": "full stop", ",": "comma", "?": "question mark", "!": "exclamation mark", ";": "semicolon", ":": "colon"}
RUN_OF_MARKS = re.compile("[?!\u203d]+")
JAPANESE = re.compile("[\u3005\u3041-\u3096\u30a1-\u30fa\u30fc\u3400-\u4dbf\u4e00-\u9fff\uff66-\uff9f]")
TIMES = (1, 2, 3, 5, 7)


@dataclass(frozen=True, slots=True)
class WordCountRange:
    """From `min_words` to `max_words` words. `don't` is one word, for the reference checker two."""

    min_words: float
    max_words: float

    def __post_init__(self) -> None:
        check_whole("min_words", self.min_words, 0)
        check_whole("max_words", self.max_words, max(1, int(self.min_words)))

    def failure(self, answer: Answer) -> str | None:
        """Marks of list items are no words; a title's words are."""
        count = len(body_words(answer))
        if self.min_words <= count <= self.max_words:
            return None
        return f"{count} words, not {self.min_words:g} to {self.max_words:g}"


@dataclass(frozen=True, slots=True)
class UniqueWordCount:
    """At least `N` different words. A lone dash is a word for the reference checker, not here."""

    N: float

    def __post_init__(self) -> None:
        check_whole("N", self.N, 1)

    def failure(self, answer: Answer) -> str | None:
        """Words that differ only in case are one."""
        return _fewer(len({word.casefold() for word in body_words(answer)}), self.N, "different words")


@dataclass(frozen=True, slots=True)
class ConjunctionCount:
    """At least `small_n` different coordinating conjunctions.

    The reference checker takes `and` and `And` for two, and `for example` for a conjunction.
    """

    small_n: float

    def __post_init__(self) -> None:
        check_whole("small_n", self.small_n, 1, len(COORDINATING))

    def failure(self, answer: Answer) -> str | None:
        """For, and, nor, but, or, yet, so, where they join something; see `conjunctions`."""
        return _fewer(len(conjunctions(body(answer))), self.small_n, "different coordinating conjunctions")


@dataclass(frozen=True, slots=True)
class PersonNameCount:
    """At least `N` different names of the prompt's list. The reference checker finds Ava in Available."""

    N: float

    def __post_init__(self) -> None:
        check_whole("N", self.N, 1, len(NAMES))

    def failure(self, answer: Answer) -> str | None:
        """Whole words with a capital, or all capitals; `grace` is no name and `Emma's` is one."""
        parts = {part for word in words(answer.text) for part in re.split("['\u2010\u2011-]", word)}
        found = {name for name in NAMES if name in parts or name.upper() in parts}
        return _fewer(len(found), self.N, "different names of the list")


@dataclass(frozen=True, slots=True)
class NumberCount:
    """Exactly `N` numbers in digits. The reference checker takes away marks first, so that `1-2` is one number.

    A decimal, `1,000`, `3.1.2` and `1/2` are one number each; `2010-2015`, `3:1` and `1,2` two. Numbers of a numbered
    list and inside words (`GPT-4`) count; numbers in letters do not.
    """

    N: float

    def __post_init__(self) -> None:
        check_whole("N", self.N, 0)

    def failure(self, answer: Answer) -> str | None:
        """Digits of any script."""
        count = sum(1 for _ in NUMERAL.finditer(answer.text))
        return None if count == self.N else f"{count} numbers, not {self.N:g}"


@dataclass(frozen=True, slots=True)
class PunctuationCover:
    """Each of `. , ? ! ; :` and an interrobang: `?!`, `!?` or one character. Other marks are not asked for."""

    def failure(self, answer: Answer) -> str | None:
        """The marks of interrobangs are not counted again, nor those inside numbers and words: `3.5`, `10:30`."""
        text = RUN_OF_MARKS.sub(lambda run: " " if _is_interrobang(run[0]) else run[0], answer.text)
        missing = [name for mark, name in MARKS.items() if not _stands(mark, text)]
        if not any(_is_interrobang(run) for run in RUN_OF_MARKS.findall(answer.text)):
            missing.append("interrobang")
        return f"without {', '.join(missing)}" if missing else None


@dataclass(frozen=True, slots=True)
class NthWordJapanese:
    """Every `N`th word is in Japanese. The reference checker lets numbers stand there, and texts that are too short.

    Japanese without spaces is one word up to its next mark.
    """

    N: float

    def __post_init__(self) -> None:
        check_whole("N", self.N, 1)

    def failure(self, answer: Answer) -> str | None:
        """At least half of a Japanese word's characters are kana or kanji."""
        step = int(self.N)
        asked = body_words(answer)[step - 1 :: step]
        if not asked:
            return f"fewer than {step} words"
        other = next((word for word in asked if 2 * len(JAPANESE.findall(word)) < len(word)), None)
        return f'"{other:.40}" is not Japanese' if other else None


@dataclass(frozen=True, slots=True)
class PronounCount:
    """At least `N` pronouns: personal, possessive and reflexive ones, who, and those such as someone and nothing.

    `I'm` holds one, for the reference checker none. `this`, `that`, `which` and `one` are not counted: often they are
    none.
    """

    N: float

    def __post_init__(self) -> None:
        check_whole("N", self.N, 1)

    def failure(self, answer: Answer) -> str | None:
        """The abbreviations US and IT are no pronouns, nor is a lone `i` in a text with capitals."""
        capitals = any(character.isupper() for character in answer.text)
        shouted = not any(character.islower() for character in answer.text)
        count = sum(
            _is_pronoun(word) and (shouted or word not in {"US", "IT"}) and (not capitals or word != "i")
            for word in body_words(answer)
        )
        return _fewer(count, self.N, "pronouns")


@dataclass(frozen=True, slots=True)
class KeywordsMultiple:
    """`keyword1` once, `keyword2` twice, then three, five and seven times. `cloud` is not in `clouds`."""

    keyword1: str
    keyword2: str
    keyword3: str
    keyword4: str
    keyword5: str

    def __post_init__(self) -> None:
        keywords = [keyword.strip().casefold() for keyword in self._keywords()]
        if not all(words(keyword) for keyword in keywords) or len(set(keywords)) < len(keywords):
            raise ValueError("the keywords must be five different words")

    def failure(self, answer: Answer) -> str | None:
        """Whole words, in any case; a title counts."""
        for keyword, times in zip(self._keywords(), TIMES, strict=True):
            count = count_phrase(answer.text, normalize(keyword))
            if count != times:
                return f'{count} times "{keyword}", not {times}'
        return None

    def _keywords(self) -> tuple[str, ...]:
        return self.keyword1, self.keyword2, self.keyword3, self.keyword4, self.keyword5


def _is_pronoun(word: str) -> bool:
    folded = word.casefold()
    return folded in PRONOUNS or folded.partition("'")[0] in PRONOUNS or folded == "let's"


def _is_interrobang(run: str) -> bool:
    return "\u203d" in run or ("?" in run and "!" in run)


def _stands(mark: str, text: str) -> bool:
    """Whether a mark stands anywhere but between two letters or digits."""
    parts = text.split(mark)
    return any(not (before[-1:].isalnum() and after[:1].isalnum()) for before, after in pairwise(parts))


def _fewer(count: int, least: float, what: str) -> str | None:
    return f"{count} {what}, fewer than {least:g}" if count < least else None
