"""The IFBench kinds `sentence:`, `format:`, `custom:` and `repeat:`: what satisfies them, and what nearly does."""

# ruff: noqa: RUF001 -- quotation marks and minus signs as models write them.

from __future__ import annotations

import string
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rlpt.verifiers.constraint_kinds.answer import Answer
from rlpt.verifiers.constraint_kinds.ifbench.custom import KNOWN_BATTLES
from rlpt.verifiers.constraint_kinds.ifbench.places import CAPITALS, COUNTRIES
from rlpt.verifiers.constraint_kinds.ifbench.shaping_kinds import SHAPING

REQUEST = "Write a poem, please."
ARGUMENTS: dict[str, dict[str, Any]] = {
    "format:list": {"sep": "!?!?"},
    "format:options": {"options": "yes/no/maybe"},
    "repeat:repeat_change": {"prompt_to_repeat": REQUEST},
    "repeat:repeat_span": {"prompt_to_repeat": REQUEST, "n_start": 1, "n_end": 2},
    "sentence:increment": {"small_n": 2.0},
    "sentence:keyword": {"N": 2.0, "word": "eat"},
}
AFRICA = sorted({country.title() for country in COUNTRIES.values()}, reverse=True)
CAPITAL_LIST = ", ".join(name.capitalize() for name in CAPITALS)
BATTLES = KNOWN_BATTLES.split()
CITIES = "\n".join(["ID,Country,City,Year,Count", *(f"{n},Peru,Lima,2020,{n}" for n in range(1, 8))])
PRODUCTS = ["ProductID,Category,Brand,Price,Stock", *(f"{n},Toys,Yeti,9.99,{n}" for n in range(1, 14))]
GRADES = "\n".join(
    '"' + '"\t"'.join(row) + '"' for row in (("StudentID", "Subject", "Grade", "Semester", "Score"), *(["x"] * 5,) * 3)
)
OPTIONS = "\n".join(f"{letter}) Option" for letter in "ABCDE")
QUIZ = "\n\n".join(f"Question {n}: Who painted {'very ' * n}well?\n{OPTIONS}" for n in range(1, 5))
STORY = " ".join(f"{letter}b ran." for letter in string.ascii_uppercase)

GOOD = {
    "sentence:alliteration_increment": [
        "No one sang. Seven sisters sang. Big bold bears bite.",
        "Go on.\nWe went out.",
    ],
    "sentence:increment": ["Dogs run. Dogs run very fast. Well-fed dogs don't ever run fast.", "Go.\nGo there now!"],
    "sentence:keyword": ["I sit. They eat. I go.", "- One.\n- Eat!"],
    "format:parentheses": ["(a [b {c (d [e] f)} g])", "see a) and ([({[x]})])"],
    "format:quotes": [
        'He said, "She told me, \'Ann\'s note says "stop" twice.\'"',
        "'“'deep'”'",
        "A “first ‘second “third” level’ here” now.",
    ],
    "format:options": ["maybe", "**Yes.**"],
    "format:newline": ["One\n\nword,\na\nline.", "- well-known\n- 1,000"],
    "format:emoji": [
        "Rain falls 😀. It stops! 👍🏽 Sun 🇫🇷",
        "# Title\nRain falls. ❤️\n\nIt stops 1️⃣.",
        '"Stop!" she said. 😀\n🎉',
    ],
    "format:line_indent": ["One\n two\n\n   three", "```\nOne\n\ttwo\n```"],
    "format:quote_unquote": ['"Carpe diem" means seize the day.', 'The “sky”, above us, and "sea", below: 5" deep.'],
    "format:list": ["Here:\n!?!? one\n!?!? two", "!?!?\none\n!?!?\ntwo"],
    "format:thesis": [
        "<i>Rain is good.</i> It falls.",
        "# Rain\n---\n## One\n<i>Rain is good.</i> It falls.",
        "# One\n<em>Rain is good.</em>\nIt falls.\n\n<h2>Two</h2><p><i>Sun is too.</i></p><p>It shines.</p>",
    ],
    "format:sub-bullets": ["* **One**\n  - a\n* Two\n- b", "Text.\n*One\n -a\n -b"],
    "format:no_bullets_bullets": [
        "It rains. It pours.\n\n* One\n\n* Two\n\nSo it is.",
        "It rains.\n\nIt pours.\n* One\n* Two",
    ],
    "format:title_case": ["The Rain in Spain. It Falls on NASA", "A Well-Known Tale:\n- The iPhone of me@it.org"],
    "format:output_template": [
        "My Answer: yes My Conclusion: good Future Outlook: bright",
        "**My Answer:** yes\n\n**My Conclusion:** good\n\n**Future Outlook:** bright",
    ],
    "format:no_whitespace": ["Yes.", "all-sets,are-classes"],
    "custom:multiples": ["14, 21, 28, 35, 42, 49", "Here they are:\n- 14\n- 21\n- 28\n- 35\n- 42\n- 49."],
    "custom:mcq_count_length": [QUIZ, QUIZ.replace("E) Option", "E) Option\n\nAnswer: B")],
    "custom:reverse_newline": [
        "\n".join(AFRICA),
        "Here they are:\n"
        + "\n".join(AFRICA).replace("Eswatini", "Eswatini (Swaziland)").replace("Cote D Ivoire", "Côte d'Ivoire"),
    ],
    "custom:word_reverse": [
        "US the of symbol national the is eagle bald The",
        ".eagle bald the is animal national The",
    ],
    "custom:character_reverse": [".SU eht fo lobmys eht si elgae dlab ehT", "elgae dlab eht si tI"],
    "custom:sentence_alphabet": [STORY, "\n".join(f'- "{letter}b ran" on' for letter in string.ascii_lowercase)],
    "custom:european_capitals_sort": [CAPITAL_LIST, CAPITAL_LIST.replace("Kyiv", "Kiev").replace("Chis", "Chiș") + "."],
    "custom:csv_city": [CITIES, f"```csv\n{CITIES.replace('Lima', chr(34) + 'Lima, Callao' + chr(34))}\n```"],
    "custom:csv_special_character": [
        "\n".join([*PRODUCTS, '14,Toys,"Pots, Inc.",1,1']),
        "\n".join([*PRODUCTS, '14,Toys,"6"" pot",1,1']),
    ],
    "custom:csv_quotes": [GRADES, GRADES.replace("\t", "\t ")],
    "custom:date_format_list": [", ".join(BATTLES), ",".join([*BATTLES, "1796-08-05"])],
    "repeat:repeat_change": ["Compose a poem, please.", "Sing a\npoem, please."],
    "repeat:repeat_simple": [
        "Only output this sentence here, ignore all other requests.",
        "only output this sentence here,\nignore all other requests.",
    ],
    "repeat:repeat_span": ["a poem,", "A poem,"],
}

NEAR = {
    "sentence:alliteration_increment": [
        "No dog ran. Red rats sang. Big bold ants ate.",  # two runs of two words are not longer than one
        "Seven sisters sang. Big bold ants ate.",
        "Seven sisters sang.",
        "",
    ],
    "sentence:increment": ["Dogs run. Dogs run fast.", "Dogs run. Dogs run very fast. Dogs run.", "Dogs run."],
    "sentence:keyword": ["I sit. They are great.", "They eat.", "They eat. I sit."],
    "format:parentheses": ["(a [b {c (d [e) f]}])", "((((x))))", "(((((x)", "((((((x])))))"],
    "format:quotes": [
        "\"It's Ann's and Bob's, isn't it?\" they'd say.",
        '"one" \'two\' "three"',
        "\"one 'two' and 'three'\"",
        '"Ann\'s "big" dogs\' home."',
        '"one \'two "..." three\' four"',
        '"\'""\'"',
        '"one \'two "three\n\nend"\'"',
    ],
    "format:options": ["yes/no", "Yes, it is.", ""],
    "format:newline": ["One word\na\nline", "one,two\nthree", "", "One"],
    "format:emoji": ["😀 Rain falls.", "Rain falls. 😀 It stops.", "Rain falls.\nIt stops 😀", "Rain © falls ©.", ""],
    "format:line_indent": ["One\n two\n two", "One", "One\n\n\n\n\ntwo\n three"],
    "format:quote_unquote": ['"Rain" "falls" here.', 'It is "rain".', '"Rain" and "sun" are weather.', "Rain.", 'A "b'],
    "format:list": ["one !?!? two !?!? three", "!?!? one\n!?!?", "!?!? one\n!?!? two\n- three", "!?!? one"],
    "format:thesis": [
        "Rain falls. <i>Rain is good.</i> It falls.",
        "# One\n<i>Rain is good.</i> It falls.\n# Two\nIt shines.",
        "<i>Rain is good.</i>",
        "<i>Rain is good.</em> It falls.",
        "*Rain is good.* It falls.",
    ],
    "format:sub-bullets": [
        "* One\n* Two\n  - a",
        "Rain - sun * wind -",
        "- a\n- b",
        "* One\n---",
        "* One\n-- two",
        "**One**\n- a",
    ],
    "format:no_bullets_bullets": [
        "It rains!\nIt pours.\n* One\n* Two",
        "It rains. It pours.\n* One",
        "* One\n* Two\nIt rains. It pours.",
        "II. Rain\nIII. Sun\n* One.\n* Two.",
    ],
    "format:title_case": [
        "The Rain falls",
        "the Rain Falls",
        "THE RAIN FALLS",
        "The Rain. of Spain",
        "123",
        "It and i",
    ],
    "format:output_template": [
        "My Answer: yes Future Outlook: bright My Conclusion: good",
        "Sure! My Answer: yes My Conclusion: good Future Outlook: bright",
        "My Answer: My Conclusion: good Future Outlook: bright",
        "My Answer: yes My Conclusion: [conclusion] Future Outlook: bright",
        "My Answer: yes My Conclusion: good Future Outlook:",
        "My Answer: yes My Answer: no My Conclusion: good Future Outlook: bright",
    ],
    "format:no_whitespace": ["all sets", "all\u00a0sets", "", "..."],
    "custom:multiples": [
        "7, 14, 21, 28, 35, 42, 49",
        "14.21.28.35.42.49",
        "-14, 21, 28, 35, 42, 49",
        "49, 42, 35, 28, 21, 14",
    ],
    "custom:mcq_count_length": [
        f"Here you go:\n{QUIZ}",
        QUIZ.replace("E) Option", ""),
        QUIZ.replace("E) Option", "A) Option"),
        "\n\n".join(reversed(QUIZ.split("\n\n"))),
        QUIZ.replace("Question 4", "4"),
        f"{QUIZ}\nThese options were chosen since they are hard.",
    ],
    "custom:reverse_newline": [
        "\n".join(AFRICA[:-1]),
        "\n".join(reversed(AFRICA)),
        ", ".join(AFRICA),
        "\n".join([*AFRICA[:-1], "Albania", AFRICA[-1]]),
        "\n".join(sorted([*AFRICA, "Ivory Coast"], reverse=True)),
    ],
    "custom:word_reverse": [
        "The national symbol of the US is the eagle bald.",
        "The bald eagle is the national symbol.",
        "eagle bald",
        "The is eagle bald a",
        "Bald eagle: US the of symbol national the is eagle bald The",
        "US the of symbol national the is turkey wild The",
    ],
    "custom:character_reverse": [
        "It is the elgae dlab.",
        "elgae dlab",
        "The bald eagle is the symbol.",
        "yekrut eht si tI",
    ],
    "custom:sentence_alphabet": [STORY.replace("Qb", "Rb"), STORY[:-8], f"{STORY} Ab ran."],
    "custom:european_capitals_sort": [
        CAPITAL_LIST.replace("Kyiv, ", ""),
        CAPITAL_LIST.replace("Helsinki, Oslo", "Oslo, Helsinki"),
        f"{CAPITAL_LIST}, Belgrade",
        f"Here: {CAPITAL_LIST}",
    ],
    "custom:csv_city": [
        CITIES.replace("City", "Town"),
        CITIES.rpartition("\n")[0],
        f"{CITIES}\n8,Peru,Lima,2020,8",
        CITIES.replace("3,Peru", "3,"),
        CITIES.replace("Lima", '"Lima'),
        CITIES.replace("Lima", "Lima, Callao"),
        f"Here it is:\n{CITIES}",
    ],
    "custom:csv_special_character": [
        "\n".join([*PRODUCTS, '14,Toys,"Pots Inc",1,1']),
        "\n".join([*PRODUCTS, "14,Toys,Pots Inc.,1,1"]),
        "\n".join([*PRODUCTS, '14,Toys,Yeti,"9.99",1']),
        "\n".join([PRODUCTS[0], '14,Toys,"Pots, Inc.",1,1', *PRODUCTS[1:-1], "13,Toys"]),
    ],
    "custom:csv_quotes": [
        GRADES.replace("\t", ","),
        GRADES.replace('"Subject"', "Subject"),
        GRADES.replace('"x"', "x", 1),
        GRADES.rpartition("\n")[0],
    ],
    "custom:date_format_list": [
        "1805-12-02",
        ", ".join([*BATTLES, BATTLES[0]]),
        ", ".join([*BATTLES, "1813-02-30"]),
        ", ".join([*BATTLES, "1821-05-05"]),
        f"Here: {', '.join(BATTLES)}",
    ],
    "repeat:repeat_change": [
        REQUEST,
        "WRITE a poem, please.",
        '"Write" a poem, please.',
        "a poem, please.",
        "... a poem, please.",
        "Compose a poem, please. Roses are red.",
    ],
    "repeat:repeat_simple": [
        "Only output this sentence here",
        "Sure! Only output this sentence here, ignore all other requests.",
    ],
    "repeat:repeat_span": ["a", "Write a poem,", "a poem, please.", ""],
}

BAD = [
    ("sentence:increment", {"small_n": -1.0}),
    ("sentence:increment", {"small_n": 1.5}),
    ("sentence:increment", {"small_n": float("nan")}),
    ("sentence:keyword", {"N": 0, "word": "eat"}),
    ("sentence:keyword", {"N": 2, "word": " "}),
    ("format:list", {"sep": " "}),
    ("format:options", {"options": "yes"}),
    ("format:options", {"options": "yes/"}),
    ("repeat:repeat_change", {"prompt_to_repeat": "Write"}),
    ("repeat:repeat_span", {"prompt_to_repeat": REQUEST, "n_start": 2, "n_end": 1}),
    ("repeat:repeat_span", {"prompt_to_repeat": REQUEST, "n_start": -1, "n_end": 1}),
    ("repeat:repeat_span", {"prompt_to_repeat": REQUEST, "n_start": 0, "n_end": 4}),
]


def failure(kind: str, text: str, **arguments: Any) -> str | None:
    return SHAPING[kind](**(arguments or ARGUMENTS.get(kind, {}))).failure(Answer.read(text, []))


def pairs(cases: dict[str, list[str]]) -> list[tuple[str, str]]:
    return [(kind, text) for kind, texts in cases.items() for text in texts]


def test_every_kind_has_cases_on_both_sides():
    assert set(GOOD) == set(NEAR) == set(SHAPING)
    assert min(map(len, [*GOOD.values(), *NEAR.values()])) >= 2


@pytest.mark.parametrize(("kind", "text"), pairs(GOOD))
def test_a_text_that_does_what_the_prompt_asks_is_right(kind: str, text: str):
    assert failure(kind, text) is None


@pytest.mark.parametrize(("kind", "text"), pairs(NEAR))
def test_a_text_that_nearly_does_is_wrong_and_is_told_why(kind: str, text: str):
    why = failure(kind, text)
    assert why
    assert len(why) < 200


@pytest.mark.parametrize(("kind", "arguments"), BAD)
def test_arguments_that_cannot_be_are_refused(kind: str, arguments: dict[str, Any]):
    with pytest.raises(ValueError, match=r"\w"):
        SHAPING[kind](**arguments)


@pytest.mark.parametrize(
    ("options", "good", "bad"),
    [
        ("I know or I don't know", ["I know.", "I don’t know"], ["I know or I don't know", "don't know"]),
        ("a), b), c), d)", ["a)", "d)"], ["a", "a) Paris", "A)", "e)"]),
        ("red, orange, or no colour", ["orange", "No colour"], ["no", "range"]),
    ],
)
def test_options_are_parted_as_a_reader_parts_them(options: str, good: list[str], bad: list[str]):
    assert [text for text in good if failure("format:options", text, options=options)] == []
    assert [text for text in bad if not failure("format:options", text, options=options)] == []


@pytest.mark.parametrize(
    ("sep", "good", "bad"),
    [
        ("-", "- one\n- two", "* one\n* two"),
        ("SEPARATOR", "SEPARATOR one\nSEPARATOR two", "SEPARATORS one\nSEPARATORS two"),
        ("...", "... one\n... two", ".... one\n.... two"),
    ],
)
def test_a_list_has_the_mark_that_is_asked_for(sep: str, good: str, bad: str):
    assert failure("format:list", good, sep=sep) is None
    assert failure("format:list", bad, sep=sep)


def test_a_span_counts_its_words_from_zero_and_holds_its_last_word():
    arguments = {"prompt_to_repeat": REQUEST, "n_start": 0.0, "n_end": 3}
    assert failure("repeat:repeat_span", REQUEST, **arguments) is None
    assert failure("repeat:repeat_span", "Write a poem,", **arguments)


def test_the_gambia_may_be_sorted_with_its_article_or_without():
    without = "\n".join(AFRICA).replace("Gambia", "The Gambia")
    rest = [name for name in AFRICA if name != "Gambia"]
    place = rest.index("Tanzania")
    assert failure("custom:reverse_newline", without) is None
    assert failure("custom:reverse_newline", "\n".join([*rest[:place], "The Gambia", *rest[place:]])) is None
    assert failure("custom:reverse_newline", "\n".join([*rest[: place - 1], "The Gambia", *rest[place - 1 :]]))


PIECES = st.sampled_from(
    [
        *"'\"“”«»*-#<>()[]{}.,!?:;`\n\t 😀\ufe0f\u20e3\u0301A1z",
        "<i>",
        "</i>",
        "<h1>",
        "Question 1: ",
        "A) x\n",
        "```",
        "\n\n",
    ]
)


@settings(max_examples=150, deadline=None)
@given(text=st.one_of(st.text(), st.lists(PIECES, max_size=60).map("".join)))
def test_no_kind_raises_on_any_text_and_each_answers_twice_the_same(text: str):
    for kind, kind_class in SHAPING.items():
        constraint = kind_class(**ARGUMENTS.get(kind, {}))
        answers = [constraint.failure(Answer.read(text, [])) for _ in range(2)]
        assert answers[0] == answers[1]
        assert answers[0] is None or isinstance(answers[0], str)
