"""The IFBench kinds `sentence:`, `format:`, `custom:` and `repeat:` by the ids that the data gives them."""

from __future__ import annotations

from collections.abc import Mapping

from rlpt.verifiers.constraint_kinds.ifbench import (
    custom,
    emoji,
    lists,
    places,
    quoting,
    repeats,
    sections,
    sentence_rules,
    shaping,
    tables,
)

SHAPING: Mapping[str, type] = {
    "custom:character_reverse": custom.LettersReversed,
    "custom:csv_city": tables.CityTable,
    "custom:csv_quotes": tables.GradeTable,
    "custom:csv_special_character": tables.ProductTable,
    "custom:date_format_list": custom.BattleDates,
    "custom:european_capitals_sort": places.CapitalsByLatitude,
    "custom:mcq_count_length": custom.ChoiceQuestions,
    "custom:multiples": custom.MultiplesOfSeven,
    "custom:reverse_newline": places.AfricaReversed,
    "custom:sentence_alphabet": custom.AlphabetStory,
    "custom:word_reverse": custom.WordsReversed,
    "format:emoji": emoji.EmojiSentences,
    "format:line_indent": shaping.IndentStairs,
    "format:list": lists.MarkedList,
    "format:newline": shaping.WordPerLine,
    "format:no_bullets_bullets": lists.SentencesThenBullets,
    "format:no_whitespace": shaping.NoWhitespace,
    "format:options": shaping.OneOption,
    "format:output_template": shaping.OutputTemplate,
    "format:parentheses": shaping.NestedParentheses,
    "format:quote_unquote": quoting.ExplainedQuotes,
    "format:quotes": quoting.NestedQuotes,
    "format:sub-bullets": lists.SubBullets,
    "format:thesis": sections.ItalicThesis,
    "format:title_case": shaping.TitleCase,
    "repeat:repeat_change": repeats.RepeatChange,
    "repeat:repeat_simple": repeats.RepeatSimple,
    "repeat:repeat_span": repeats.RepeatSpan,
    "sentence:alliteration_increment": sentence_rules.AlliterationIncrement,
    "sentence:increment": sentence_rules.WordIncrement,
    "sentence:keyword": sentence_rules.KeywordInSentence,
}
