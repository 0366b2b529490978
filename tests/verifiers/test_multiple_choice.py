# ruff: noqa: RUF001
"""The multiple-choice verifier reads the one choice that an answer names, in any spelling, and no hedge."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rlpt.errors import UserError
from rlpt.records import Task
from rlpt.verifiers.multiple_choice import MultipleChoiceVerifier

LETTERS = ["A", "B", "C", "D", "E"]
LAWS = {"A": "the first law", "B": "the second law", "C": "a cat", "D": "Both A and B", "E": "the third law"}
NUMBERS = {"1": "3", "2": "5", "3": "7", "4": "-7"}
TEN = list("ABCDEFGHIJ")


def judge(completion, answer="E", choices=LETTERS, **options):
    task = Task("choice", "t", [], {"answer": answer, "choices": choices})
    return MultipleChoiceVerifier(**options).verify(task, completion)


def chosen(completion, choices=LETTERS, **options):
    """The choice that a completion is taken for; None where it is wrong whatever the answer is."""
    right = [label for label in choices if judge(completion, label, choices, **options).reward == 1.0]
    assert len(right) <= 1
    return right[0] if right else None


def in_form(answer, choices=LETTERS):
    """The choice that an answer in a box or in a tag is taken for, which must be the same."""
    boxed = chosen(f"So it is \\boxed{{{answer}}}.", choices)
    assert chosen(f"<answer>{answer}</answer>", choices) == boxed
    return boxed


SPELLINGS = [
    *("E", "(E)", "[E]", "{E}", "E.", "E)", "E:", "**E**", "`E`", "$E$", "（Ｅ）", "\\text{E}", "\\mathrm{E}"),
    *("\\(E\\)",),
    *("\\textbf{(E)}", "\\mathbf{\\text{E}}", "Option E", "Answer: E", "the answer is (E).", "the correct option is E"),
    *("E: the third law", "E:the third law", "E. The third law", "(E) the third law", "E) the third law"),
    *("E - the third law", "E, the third law", "E\nthe third law", "E because of friction", "E: A third law"),
    *("E: I think",),
    *("\\textbf{(E) }16", "\\textbf{(E)}\\ 16", "(E)\\ \\frac12", "\\textbf{(E) $\\frac{1}{2}$}", "(E) is correct"),
]


@pytest.mark.parametrize("answer", [*SPELLINGS, "e", "(e)", "e) the third law"])
def test_one_choice_in_any_spelling(answer):
    assert in_form(answer) == "E"
    other = answer.replace("E", "B").replace("Ｅ", "Ｂ")
    assert in_form(other) == ("B" if other != answer else "E")


@pytest.mark.parametrize("answer", SPELLINGS)
def test_the_same_spellings_count_as_a_whole_response(answer):
    assert chosen(answer) == "E"
    assert judge(answer).parts == {"format": 0.0}
    assert judge(answer, anywhere=False).reward == 0.0


@pytest.mark.parametrize(
    "answer",
    [
        *("A or B", "A, B", "A and E", "E, A", "E/A", "A|E", "E;A", "E & A", "E - A", "E A", "E\nA", "(A)(E)"),
        *("(E) or (A)",),
        *("A, B, C, D, E", "A B C D E", "ABCDE", "AE", "EE", "A. B. C. D. E.", "either E or A", "E (or A)", "E: or A"),
        *(
            "e, a",
            "E: a",
            "a) this e) that",
            "E: this; a: that",
            "e: the sum",
            "E) x, or A) y",
            "E. A.",
            "E, F",
            "E and F",
            "E: not A",
        ),
        *("E: A", "(E), (A)"),
        *("not E", "E?", "E is wrong", "(E) is wrong", "(E) is not it", "E, maybe", "E perhaps", "E or none"),
        *("E: or none",),
        *("F", "(F)", "Z", "f", "5", "", " ", "?", "É", "Е", "E1", "E'", "EA", "E.g. this", "E=mc^2", "E(x)"),
        *("E-mail", "E+"),
        *("A cat", "I think so", "All of the above", "the third law", "\\cancel{E}", "¬E", "E^2", "\\frac{E}{A}"),
    ],
)
def test_hedges_and_what_is_no_choice_are_wrong(answer):
    assert in_form(answer) is None
    assert in_form(answer, LAWS) == ("E" if answer == "the third law" else "C" if answer == "a cat" else None)


@pytest.mark.parametrize(
    ("answer", "status"),
    [
        ("\\boxed{A or B}", "suspicious"),
        ("\\boxed{A, B}", "suspicious"),
        ("\\boxed{(A) and (B)}", "suspicious"),
        ("\\boxed{A} or \\boxed{B}", "suspicious"),
        ("<answer>A B C</answer>", "suspicious"),
        ("\\boxed{A}, and then \\boxed{B}", "wrong"),
        ("\\boxed{B, since A is a gas}", "wrong"),
        ("\\boxed{Z}", "wrong"),
        ("It is A or B.", "wrong"),
        ("\\boxed{A cat or I}", "wrong"),
    ],
)
def test_a_list_of_choices_in_the_form_is_hedging(answer, status):
    verdict = judge(answer)
    assert (verdict.reward, verdict.status) == (0.0, status), verdict


def test_every_label_at_once_is_wrong_for_every_answer():
    for separator in ("", " ", ", ", "/", " or ", "\n", "; ", "}\\boxed{", "} or \\boxed{"):
        assert chosen(f"\\boxed{{{separator.join(LETTERS)}}}") is None
    assert chosen("".join(f"({label}) " for label in LETTERS)) is None
    assert chosen("\n".join(f"{label}: text" for label in LETTERS)) is None
    assert chosen(" ".join(f"**{label}**" for label in LETTERS)) is None


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("the third law", "E"),
        ("the third law.", "E"),
        ("\\text{the third  law}", "E"),
        ("The third law", None),
        ("third law", None),
        ("a cat", "C"),
        ("A cat", None),
        ("C a cat", "C"),
        ("Both A and B", "D"),
        ("D: Both A and B", "D"),
        ("D Both A and B", "D"),
        ("(D) Both A and B.", "D"),
        ("D: both of A and B", None),
        ("E (the third law)", "E"),
        ("E: the third law of motion", "E"),
        ("E: the second law", None),
        ("(E) THE SECOND LAW", None),
        ("E the second law", None),
        ("E: the third law or the second law", None),
        ("the first law, the second law", None),
    ],
)
def test_the_text_of_a_choice_counts_as_the_choice(answer, expected):
    assert in_form(answer, LAWS) == expected


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        *(("3", "3"), ("(3)", "3"), ("4", "4"), ("Option 3", "3"), ("2) 5", "2"), ("2: 5", "2"), ("2. 5", "2")),
        *(("2 5", "2"),),
        # a number that is both a label and a text is the label, which is what was asked for
        *(("7", "3"), ("-7", "4"), ("5", "2")),
        *(("2: 7", None), ("2, 3", None), ("1 or 3", None), ("1,3", None), ("3.5", None), ("3 - 1", None)),
        *(("3:1", None),),
        *(("9", None), ("03", None), ("33", None), ("3!", "3"), ("٣", None), ("2 -5", None), ("3/1", None)),
    ],
)
def test_numbers_as_labels(answer, expected):
    assert in_form(answer, NUMBERS) == expected


@pytest.mark.parametrize(
    ("choices", "answer", "expected"),
    [
        ({"A": "x^2", "B": "2x"}, "x^2", "A"),
        ({"A": "$x^2$", "B": "$2x$"}, "x^2", "A"),
        ({"A": "x^2", "B": "x^2"}, "x^2", None),
        ({"A": "\\frac{1}{23}", "B": "\\frac{12}{3}"}, "\\frac{12}{3}", "B"),
        ({"A": "5 mV", "B": "5 MV"}, "5 mV", "A"),
        ({"A": "5", "B": "-5"}, "A -5", None),
        ({"A": "O", "B": "A", "C": "B"}, "B", "B"),
        ({"A": "O", "B": "A", "C": "B"}, "O", "A"),
        ({"A": 5, "B": 2.5}, "2.5", "B"),
        ({"a": "one", "b": "two"}, "B", "b"),
        ({"a": "one", "b": "two"}, "b) two", "b"),
        ({"A": "law", "B": "the second law"}, "A: law, the second law", None),
        ({"A": "", "B": "x"}, "A", "A"),
        (TEN, "I", "I"),
        (TEN, "I think", None),
        (TEN, "I, for one, do", None),
        (TEN, "J: I think", "J"),
        (TEN, "J: I or H", None),
    ],
)
def test_other_choices(choices, answer, expected):
    assert in_form(answer, choices) == expected


@pytest.mark.parametrize(
    ("response", "expected"),
    [
        ("The answer is (E).", "E"),
        ("**Answer:** E", "E"),
        ("**Answer: E**", "E"),
        ("Answer:\n\nE", "E"),
        ("The final answer is: $\\text{E}$", "E"),
        ("The correct option is E because it must be.", "E"),
        ("The answer to question 5 is E.", "E"),
        ("答案：E", "E"),
        ("A cat sat there. I saw it. So the answer is (E) the third law.", "E"),
        ("It is not A. The answer is E.", None),
        ("It is not A.\nThe answer is E.", "E"),
        ("I thought that the answer is A.\nNow the answer is E.", "E"),
        ("I think the answer is A. No, the answer is E.", None),
        ("The answer is E or A.", None),
        ("The answer is E. Or A.", None),
        ("The answer is E.\nBut A may be right.", None),
        ("The answer is not E.", None),
        ("I don't think the answer is E.", None),
        ("If it rains, the answer is E.", None),
        ("Wrong answer: E", None),
        ("The answer is A third law.", None),
        ("The answer is I don't know.", None),
        ("The answer is F.", None),
        ("the answer is e", None),
        ("So it is **E**.", "E"),
        ("It is not **E**.", None),
        ("**A** is less than **E**.", None),
        ("A cat is heavier, so **B**", "B"),
        ("So we are done.\n\n(E)", "E"),
        ("So we are done.\nE", "E"),
        ("E\nSo we are done.", "E"),
        ("It cannot be\nE", None),
        ("Option E is correct", "E"),
        ("E is correct, A is not", None),
        ("It is E", None),
        ("A cat sat on the mat.", None),
        ("A", "A"),
        ("I think so.", None),
        ("e", None),
        ("Take vitamin C.", None),
        ("The best answer would be the third law.", None),
    ],
)
def test_plain_sentences(response, expected):
    assert chosen(response, TEN if "I" in response else LETTERS) == expected
    assert judge(response).parts == {"format": 0.0}


@pytest.mark.parametrize(
    ("completion", "expected", "format_"),
    [
        ("\\boxed{A} no, \\boxed{E}", "E", 1.0),
        ("\\boxed{E} no, \\boxed{A}", "A", 1.0),
        ("\\boxed{A}\\boxed{E}", None, 1.0),
        ("\\boxed{E}, \\boxed{E}", "E", 1.0),
        ("\\boxed{E}. The answer is A.", "E", 1.0),
        ("\\boxed{}. The answer is E.", None, 0.0),
        ("\\boxed{E", None, 0.0),
        ("<answer>A</answer> no, I mean <answer>E</answer>", "E", 1.0),
        ("<answer>A</answer> <answer>E</answer>", None, 1.0),
        ("<answer>A</answer> or <answer>E</answer>", None, 1.0),
        ("<think>\\boxed{E}</think>", None, 0.0),
        ("<think>\\boxed{E}", None, 0.0),
        ("<think>\\boxed{A}</think>The answer is E.<|im_end|>A", "E", 0.0),
        ("\\boxed{E}<|im_end|>\\boxed{A}", "E", 1.0),
        ("\\boxed{none}", None, 1.0),
        ("", None, 0.0),
    ],
)
def test_the_last_asked_for_form_counts(completion, expected, format_):
    assert chosen(completion) == expected
    assert judge(completion).parts == {"format": format_}


def test_other_forms_count_where_they_are_asked_for():
    assert judge("#### E", forms=["hash"]).parts == {"format": 1.0}
    assert judge("#### E", forms=["hash"]).reward == 1.0
    with pytest.raises(UserError, match="forms must be"):
        MultipleChoiceVerifier(forms=["box"])


@pytest.mark.parametrize(
    ("reference", "field"),
    [
        *(({}, "choices"), ({"answer": "A"}, "choices"), ({"answer": "A", "choices": "AB"}, "choices")),
        *(({"answer": "A", "choices": ["A"]}, "choices"), ({"answer": "A", "choices": ["A", "Ab"]}, "choices")),
        *(({"answer": "A", "choices": ["A", "a"]}, "choices"),),
        *(({"answer": "A", "choices": {"A": "x", "B": None}}, "choices"),),
        ({"answer": "A", "choices": {"label": ["A", "B"], "text": ["x", "y"]}}, "choices"),
        *(({"choices": ["A", "B"]}, "answer"), ({"answer": "C", "choices": ["A", "B"]}, "answer")),
        *(({"answer": "a", "choices": ["A", "B"]}, "answer"),),
        *(({"answer": "x", "choices": {"A": "x", "B": "y"}}, "answer"),),
        *(({"answer": "", "choices": ["A", "B"]}, "answer"), ({"answer": True, "choices": [1, 2]}, "answer")),
    ],
)
def test_a_broken_reference_is_refused(reference, field):
    with pytest.raises(UserError, match=f"multiple_choice: .*'{field}'"):
        MultipleChoiceVerifier().check_reference(reference)


def test_references_that_can_be_judged_by():
    for reference in (
        {"answer": "A", "choices": LETTERS},
        {"answer": 2, "choices": [1, 2, 3]},
        {"answer": "10", "choices": {str(number): f"text {number}" for number in range(1, 11)}},
        {"answer": "E", "choices": LAWS},
    ):
        MultipleChoiceVerifier().check_reference(reference)


@pytest.mark.parametrize(
    "text",
    [
        *("(" * 100_000, "9" * 100_000, "answer is E " * 8_000, "answer to " * 10_000, "A " * 50_000),
        *("**A** " * 16_000,),
        *("\\text{" * 20_000, "A" * 100_000, "E" + " " * 100_000 + "x", "E:" + " " * 100_000 + "A", "ﷺ" * 20_000),
        *("answer" + " " * 100_000 + "x", "[" * 50_000 + "EA" + "]" * 50_000, "(E) " + "a" * 100_000 + " A"),
        *("# " * 50_000,),
        *("\n# " * 30_000, "the option " * 9_000, "\\textbf{" * 10_000 + "(A)" + "}" * 10_000 + "B", "or " * 30_000),
        *("I'" * 50_000,),
    ],
    ids=lambda text: ascii(text[:12]),
)
def test_any_size_is_judged_at_once(text):
    started = time.process_time()
    for completion in (text, f"<answer>{text}</answer>", f"\\boxed{{{text}}}"):
        verdict = judge(completion, choices=LAWS)
        assert verdict.reward == 0.0
        assert "\n" not in verdict.detail
        assert len(verdict.detail) < 400
    assert time.process_time() - started < 3.0


WORDS = st.sampled_from(
    [
        *("A", "B", "E", "F", "I", "a", "(A)", "(E)", "E:", "E.", "the", "answer", "is", "or", "and", "not"),
        *("option", "cat"),
        *("\\text{", "}", "{", "$", "**", "\n", ",", ".", ":", "\\boxed{", "<answer>", "</answer>", "the third law"),
        *("~", "-"),
    ]
)


@settings(max_examples=300, deadline=None)
@given(text=st.one_of(st.text(max_size=100), st.lists(WORDS, max_size=20).map(" ".join), st.lists(WORDS).map("".join)))
def test_any_text_gets_a_verdict_is_one_choice_at_most_and_always_the_same(text):
    for choices in (LETTERS, LAWS):
        for completion in (text, f"\\boxed{{{text}}}", f"<answer>{text}</answer>"):
            verdict = judge(completion, choices=choices)
            assert verdict.reward in (0.0, 1.0)
            assert judge(completion, choices=choices) == verdict
            chosen(completion, choices)


@settings(max_examples=200, deadline=None)
@given(
    labels=st.lists(st.sampled_from(LETTERS), min_size=2, max_size=5).filter(lambda labels: len(set(labels)) > 1),
    spelling=st.sampled_from(["{}", "({})", "\\text{{{}}}", "**{}**", "{}.", "{})", "{}: this", "Option {}"]),
    separator=st.sampled_from([" ", ", ", "/", " or ", " and ", "\n", "; ", " | ", ", then "]),
)
def test_several_choices_are_wrong_in_any_spelling(labels, spelling, separator):
    text = separator.join(spelling.format(label) for label in labels)
    assert in_form(text) is None
    assert chosen(text) is None
    assert chosen(f"The answer is {text}") is None
