"""The kinds of IFBench (arXiv:2507.02833) that count and compare words, by the dataset's own ids."""

from __future__ import annotations

from collections.abc import Mapping

from rlpt.verifiers.constraint_kinds.ifbench.counting import (
    ConjunctionCount,
    KeywordsMultiple,
    NthWordJapanese,
    NumberCount,
    PersonNameCount,
    PronounCount,
    PunctuationCover,
    UniqueWordCount,
    WordCountRange,
)
from rlpt.verifiers.constraint_kinds.ifbench.ratios import (
    SentenceBalance,
    SentenceTypeRatio,
    SentenceWords,
    StopWordPercentage,
    TrigramOverlap,
)
from rlpt.verifiers.constraint_kinds.ifbench.word_places import (
    KeywordPosition,
    LastWordFirstNext,
    LimitedRepeats,
    ParagraphLastFirst,
    WordsPosition,
)
from rlpt.verifiers.constraint_kinds.ifbench.word_rules import (
    AlphabetLoop,
    AlternateSyllables,
    ConsonantClusters,
    NoConsecutiveFirstLetter,
    Palindromes,
    PrimeLengths,
    StartVerb,
    ThreeVowels,
)

COUNTING: Mapping[str, type] = {
    "count:conjunctions": ConjunctionCount,
    "count:keywords_multiple": KeywordsMultiple,
    "count:numbers": NumberCount,
    "count:person_names": PersonNameCount,
    "count:pronouns": PronounCount,
    "count:punctuation": PunctuationCover,
    "count:unique_word_count": UniqueWordCount,
    "count:word_count_range": WordCountRange,
    "count:words_japanese": NthWordJapanese,
    "ratio:overlap": TrigramOverlap,
    "ratio:sentence_balance": SentenceBalance,
    "ratio:sentence_type": SentenceTypeRatio,
    "ratio:sentence_words": SentenceWords,
    "ratio:stop_words": StopWordPercentage,
    "words:alphabet": AlphabetLoop,
    "words:consonants": ConsonantClusters,
    "words:keywords_specific_position": KeywordPosition,
    "words:last_first": LastWordFirstNext,
    "words:no_consecutive": NoConsecutiveFirstLetter,
    "words:odd_even_syllables": AlternateSyllables,
    "words:palindrome": Palindromes,
    "words:paragraph_last_first": ParagraphLastFirst,
    "words:prime_lengths": PrimeLengths,
    "words:repeats": LimitedRepeats,
    "words:start_verb": StartVerb,
    "words:vowel": ThreeVowels,
    "words:words_position": WordsPosition,
}
"""Kinds `count:...`, `ratio:...` and `words:...` of the dataset's rows."""
