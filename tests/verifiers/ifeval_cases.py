# ruff: noqa: RUF001
"""For each kind of IFEval: arguments, texts that satisfy it, and texts that nearly do."""

from __future__ import annotations

from typing import Any

AT_LEAST, LESS_THAN = "at least", "less than"
GERMAN = "Der Hund schläft heute auf dem alten Sofa, weil es draußen sehr kalt ist."
ENGLISH = "The dog sleeps on the old sofa today because it is very cold outside."

CASES: list[tuple[str, dict[str, Any], list[str], list[str]]] = [
    (
        "keywords:existence",
        {"keywords": ("rate", "Mona Lisa")},
        ["The RATE of the Mona\nLisa.", "<<Mona Lisa>>\n*rate*"],
        ["Separate the Mona Lisa.", "The rate of Mona and Lisa."],
    ),
    (
        "keywords:frequency",
        {"keyword": " art ", "frequency": 2, "relation": AT_LEAST},
        ["Art is art.", "art\n**Art** and more"],
        ["Art starts a party.", "One art only."],
    ),
    (
        "keywords:frequency",
        {"keyword": "art", "frequency": 1, "relation": LESS_THAN},
        ["They start a party.", "Nothing."],
        ["Some ART.", "The art's end."],
    ),
    (
        "keywords:forbidden_words",
        {"forbidden_words": ("can", "no way")},
        ["A candle scans.", "No better way."],
        ["We CAN.", "There is no\nway."],
    ),
    (
        "keywords:letter_frequency",
        {"letter": "#", "let_frequency": 2, "let_relation": AT_LEAST},
        ["#one #two", "##three"],
        ["#one two", "one two"],
    ),
    (
        "keywords:letter_frequency",
        {"letter": "E", "let_frequency": 1, "let_relation": LESS_THAN},
        ["A big dog.", "It is odd."],
        ["A bee.", "A thé."],
    ),
    (
        "keywords:letter_frequency",
        {"letter": "e", "let_frequency": 3, "let_relation": AT_LEAST},
        ["Eerie.", "Three bees."],
        ["Éérie.", "A bee."],
    ),
    (
        "language:response_language",
        {"language": "de"},
        [GERMAN, f"<<Hund>>\n\n{GERMAN} Der Laden heißt The Old House.", GERMAN.upper()],
        [
            ENGLISH,
            f"{GERMAN} {GERMAN} {GERMAN}\n{ENGLISH}",
            "42",
            "Hund Sofa",
            f"{GERMAN}\nСобака спит на старом диване дома.",
        ],
    ),
    (
        "length_constraints:number_sentences",
        {"num_sentences": 2, "relation": AT_LEAST},
        ["Mr. Smith came. He left!", "# Title\nOne is here. Two is here."],
        ["Mr. Smith came at 3.5 p.m. today.", "One is here\nTwo is here\nThree is here"],
    ),
    (
        "length_constraints:number_sentences",
        {"num_sentences": 3, "relation": LESS_THAN},
        [
            "Dear Sir,\n\nI came. I left.\n\nYours,\nAnna",
            "When the sun is up and shining,\nI will sing. I will.",
            "# What I did on my last day\nI came. I left.",
        ],
        ["I came. I saw. I won.", "I came to the old town\nI saw it all on foot\nI won what I had wanted"],
    ),
    (
        "length_constraints:number_words",
        {"num_words": 4, "relation": AT_LEAST},
        ["I don't like 3.5.", "<<My day>>\nGood morning."],
        ["I don't like", "1. well-known\n2. state-of-the-art\n3. word"],
    ),
    (
        "length_constraints:number_words",
        {"num_words": 4, "relation": LESS_THAN},
        ["One two three.", "* One\n* Two\n* Three"],
        ["One two three four.", "<<One>> two three four"],
    ),
    (
        "length_constraints:number_paragraphs",
        {"num_paragraphs": 2},
        ["One is *here*.\n***\nTwo.", "***\nOne.\n\nMore.\n***\nTwo.\n***", '"One. *** Two."'],
        [
            "One.\n***\n---",
            "One.\n\nTwo.",
            "One ***bold*** word.",
            "One.\n***\n---\n***\nTwo.",
            "One.\n***\nTwo.\n***\nThree.",
            "One.\n****\nTwo.",
        ],
    ),
    (
        "length_constraints:nth_paragraph_first_word",
        {"num_paragraphs": 2, "nth_paragraph": 2, "first_word": "Jasper"},
        ["One.\n\njasper is here.", "One.\n \n\n**Jasper's** day."],
        [
            "Jasper.\n\nOne.",
            "One.\nJasper is here.",
            "One.\n\nJasperson.",
            "One.\n\n---\n\nJasper.",
            "One.\n\nJasper.\n\nTwo.",
        ],
    ),
    (
        "detectable_content:number_placeholders",
        {"num_placeholders": 2},
        ["Dear [name], I am [name].", "[a street] in [city]"],
        ["Dear [name], see [this](https://a.org) [1] [].", "- [x] done\n- [X] [name]", '["a", "b"] [name]'],
    ),
    (
        "detectable_content:postscript",
        {"postscript_marker": "P.S."},
        ["Hi there.\n\nP.S. I love you.", "Hi there.\n**p. s.** Call me.\nSoon.", "Hi there. P.S. Call me."],
        [
            "P.S. I love you.",
            "---\nP.S. I love you.",
            "Hi there.\n\nP.S.",
            "Hi.\n\nP.P.S. I do.",
            "I add a P.S. to it.",
            "Hi.\n\nPS: I do.",
        ],
    ),
    (
        "detectable_content:postscript",
        {"postscript_marker": "P.P.S"},
        ["Hi.\n\nP.P.S. I do.", "Hi.<br>\nP.P.S I do."],
        ["Hi.\n\nP.S. I do.", "Hi.\n\nP.P.Something else."],
    ),
    (
        "detectable_format:constrained_response",
        {},
        ["My answer is no.", "I think so. My answer is yes. Indeed, my friend."],
        ["My answer is yes", "My answer is yes. My answer is no.", "my answer is maybe.", "No."],
    ),
    (
        "detectable_format:json_format",
        {},
        ['{"a": [1, "two"]}', '```json\n{"a": "b"}\n```', '```\n["a"]\n```'],
        [
            'Here: {"a": 1}',
            '```json\n{"a": 1}\n```\nDone.',
            '{"a": NaN}',
            '{"a": 1, "a": 2}',
            '"text"',
            "[]",
            "[" * 10_000,
        ],
    ),
    (
        "detectable_format:number_bullet_lists",
        {"num_bullets": 2},
        ["* one\n* two\n***\n---", "Text\n- *one*\n  - two\n*emphasis* here"],
        ["* one", "* one\n*two", "* one\n* two\n* three", "* one\n* two\n• three", "• one\n• two", "* one\n* **"],
    ),
    (
        "detectable_format:number_highlighted_sections",
        {"num_highlights": 2},
        ["*one* and **two words**", "- *one*\n- ***two***:"],
        ["*one* and 2 * 3 * 4", "*one* and a * b* c", "* one\n* two\n* three", "*one\ntwo* *three*", "** ** *one*"],
    ),
    (
        "detectable_format:multiple_sections",
        {"section_spliter": "SECTION", "num_sections": 2},
        [
            "SECTION 1\nOne.\n\n## SECTION 2: Two",
            '"**SECTION 1**\nOne.\nSECTION 2\nTwo."',
            "section 1\none\nsection 2\ntwo",
        ],
        [
            "SECTION 1\nOne.",
            "SECTION 1\nOne.\nSECTION 1\nTwo.",
            "Section 1\nOne.\nSection 2\nTwo.",
            "SECTION 1\nSECTION 2\nTwo.",
            "SECTION 1\nOne.\nSECTION 2\nTwo.\nSECTION 3\nThree.",
            "SECTION X\nOne.\nSECTION X\nTwo.",
        ],
    ),
    (
        "detectable_format:title",
        {},
        ["<<A day>>\nText.", "Text.\n<<A day>>"],
        ["<<A\nday>>", "<< >>\nText.", "<A day>\nText."],
    ),
    (
        "combination:two_responses",
        {},
        ["One.\n******\nTwo.", "<<A day>>\n******\nOne.\n******\nTwo.\n******", "Response 1: a\n******\nResponse 2: b"],
        [
            "One.\n***\nTwo.",
            "One.\n******\n---",
            "One.\n******\none!",
            "One.\n******\nTwo.\n******\nThree.",
            "Response 1: a\n******\nResponse 2: a",
            "******",
        ],
    ),
    (
        "combination:repeat_prompt",
        {"prompt_to_repeat": "Write a “short” song."},
        ['Write a "short"\nsong. La la.', 'WRITE A "SHORT" SONG. LA LA.', '"Write a "short" song.\nLa la."'],
        [
            'Write a "short" song.',
            'Sure! Write a "short" song. La.',
            "Write a short song. La la.",
            'write a "short" song. La la.',
        ],
    ),
    (
        "startend:end_checker",
        {"end_phrase": "Is that all?"},
        ["Yes. Is that all?", '"Yes. *is that all?*"'],
        ["Yes. Is that all? Bye.", "Yes. Is that all", "Is that all?"],
    ),
    (
        "startend:end_checker",
        {"end_phrase": 'Say "Peace!"'},
        ['La. Say "Peace!"', 'La. *Say "Peace!"*'],
        ["La. Say peace", "La."],
    ),
    (
        "startend:quotation",
        {},
        ['"I like it."', '"She said "no" and left."', "“One.\n\nTwo.”", '"\nOne\n* Two\n"'],
        ['"Yes," she said, "no."', 'I like "it"', '"I like it', '"One."\n\n"Two."', '""'],
    ),
    (
        "change_case:capital_word_frequency",
        {"capital_frequency": 2, "capital_relation": AT_LEAST},
        ["NASA is GREAT.", "<<MY DAY>> is here."],
        ["I have A DOG.", "Nasa Is Great."],
    ),
    (
        "change_case:capital_word_frequency",
        {"capital_frequency": 2, "capital_relation": LESS_THAN},
        ["I have A DOG.", "I saw it."],
        ["A WELL-KNOWN COVID-19 case.", "NO WAY"],
    ),
    (
        "change_case:english_capital",
        {},
        [ENGLISH.upper(), "ZÜRICH FARES"],
        [ENGLISH, GERMAN.upper(), "СОБАКА СПИТ"],
    ),
    (
        "change_case:english_lowercase",
        {},
        [ENGLISH.lower(), "lumina sorbus"],
        [ENGLISH, GERMAN.lower(), "собака спит"],
    ),
    ("punctuation:no_comma", {}, ["One and two.", "One; two."], ["One, two.", "1,000", "一、二"]),
]
