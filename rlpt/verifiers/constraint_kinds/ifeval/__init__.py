"""The 25 kinds of IFEval (Zhou et al. 2023, arXiv:2311.07911), under the ids and arguments of its data set.

They judge what the prompts' wording promises a reader. Where the public checker differs (a word inside another word,
empty parts, a naive split), the kind's docstring says so.
"""

from __future__ import annotations

from collections.abc import Mapping

from rlpt.verifiers.constraint_kinds.form import NoCommas
from rlpt.verifiers.constraint_kinds.ifeval.casing import CapitalWordFrequency, EnglishCapital, EnglishLowercase
from rlpt.verifiers.constraint_kinds.ifeval.content import (
    ConstrainedResponse,
    JsonFormat,
    NumberPlaceholders,
    Postscript,
    ResponseLanguage,
)
from rlpt.verifiers.constraint_kinds.ifeval.keywords import (
    ForbiddenWords,
    KeywordExistence,
    KeywordFrequency,
    LetterFrequency,
)
from rlpt.verifiers.constraint_kinds.ifeval.lengths import (
    NthParagraphFirstWord,
    NumberParagraphs,
    NumberSentences,
    NumberWords,
)
from rlpt.verifiers.constraint_kinds.ifeval.markup import (
    MultipleSections,
    NumberBulletLists,
    NumberHighlightedSections,
    Title,
)
from rlpt.verifiers.constraint_kinds.ifeval.whole import EndChecker, Quotation, RepeatPrompt, TwoResponses

IFEVAL: Mapping[str, type] = {
    "change_case:capital_word_frequency": CapitalWordFrequency,
    "change_case:english_capital": EnglishCapital,
    "change_case:english_lowercase": EnglishLowercase,
    "combination:repeat_prompt": RepeatPrompt,
    "combination:two_responses": TwoResponses,
    "detectable_content:number_placeholders": NumberPlaceholders,
    "detectable_content:postscript": Postscript,
    "detectable_format:constrained_response": ConstrainedResponse,
    "detectable_format:json_format": JsonFormat,
    "detectable_format:multiple_sections": MultipleSections,
    "detectable_format:number_bullet_lists": NumberBulletLists,
    "detectable_format:number_highlighted_sections": NumberHighlightedSections,
    "detectable_format:title": Title,
    "keywords:existence": KeywordExistence,
    "keywords:forbidden_words": ForbiddenWords,
    "keywords:frequency": KeywordFrequency,
    "keywords:letter_frequency": LetterFrequency,
    "language:response_language": ResponseLanguage,
    "length_constraints:nth_paragraph_first_word": NthParagraphFirstWord,
    "length_constraints:number_paragraphs": NumberParagraphs,
    "length_constraints:number_sentences": NumberSentences,
    "length_constraints:number_words": NumberWords,
    "punctuation:no_comma": NoCommas,
    "startend:end_checker": EndChecker,
    "startend:quotation": Quotation,
}
