"""The exact verifier compares texts after normalising them as configured."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rlpt.errors import UserError
from rlpt.records import Task
from rlpt.verifiers.exact import ExactVerifier


def judge(completion, gold, **options):
    return ExactVerifier(**options).verify(Task("exact", "t", [], {"answer": gold}), completion)


@pytest.mark.parametrize(
    ("options", "completion", "gold", "right"),
    [
        ({}, "It is \\boxed{Evelyn}.", "Evelyn", True),
        ({}, "\\boxed{\\text{Evelyn}}", "Evelyn", True),
        ({}, "\\boxed{ evelyn }", "Evelyn", True),
        ({}, "\\boxed{Evelyn}, no, \\boxed{Carla}", "Evelyn", False),
        ({}, "Evelyn", "Evelyn", False),
        ({}, "\\boxed{New  York}", "new york", True),
        ({}, "\\boxed{NewYork}", "new york", False),
        ({"whitespace": "remove"}, "\\boxed{New York}", "newyork", True),
        ({"whitespace": "keep"}, "\\boxed{New  York}", "New York", False),
        ({"case": True}, "\\boxed{evelyn}", "Evelyn", False),
        ({"case": True}, "\\boxed{Evelyn}", "Evelyn", True),
        ({"source": "hash"}, "so\n#### Evelyn", "Evelyn", True),
        ({"source": "tag"}, "<answer>\nEvelyn\n</answer>", "Evelyn", True),
        ({"source": "text"}, " Evelyn\n", "evelyn", True),
        ({"source": "text"}, "<think>Carla?</think>Evelyn<|im_end|>", "Evelyn", True),
        ({"source": "text"}, "<think>Evelyn", "Evelyn", False),
        ({"source": "text"}, "Evelyn!", "Evelyn", False),
        ({}, "\\boxed{0.50}", "0.5", False),
        ({}, "\\boxed{ﬁne}", "fine", True),
    ],
)
def test_texts_are_compared_as_configured(options, completion, gold, right):
    verdict = judge(completion, gold, **options)
    assert (verdict.reward, verdict.status) == ((1.0, "correct") if right else (0.0, "wrong"))


@pytest.mark.parametrize(("completion", "format_"), [("\\boxed{no}", 1.0), ("\\boxed{}", 0.0), ("yes", 0.0), ("", 0.0)])
def test_the_format_part_says_whether_there_is_an_answer(completion, format_):
    assert judge(completion, "yes").parts == {"format": format_}


@pytest.mark.parametrize("options", [{"source": "box"}, {"whitespace": "none"}])
def test_unknown_options_are_refused(options):
    with pytest.raises(UserError, match="must be one of"):
        ExactVerifier(**options)


@pytest.mark.parametrize("reference", [{}, {"answer": ""}, {"answer": " \n"}, {"answer": 5}, {"answer": None}])
def test_a_reference_without_an_answer_is_refused(reference):
    with pytest.raises(UserError, match="answer"):
        ExactVerifier().check_reference(reference)


@settings(max_examples=200, deadline=None)
@given(completion=st.text(max_size=100), gold=st.text(min_size=1, max_size=20).filter(str.strip))
def test_any_text_gets_a_verdict_and_always_the_same(completion, gold):
    for source in ("boxed", "text"):
        verdict = judge(completion, gold, source=source)
        assert verdict.reward in (0.0, 1.0)
        assert judge(completion, gold, source=source) == verdict


@settings(max_examples=100, deadline=None)
@given(answer=st.from_regex(r"[A-Za-z0-9]{1,10}( [A-Za-z0-9]{1,10}){0,3}", fullmatch=True))
def test_an_answer_equals_itself(answer):
    assert judge(f"So it is \\boxed{{{answer}}}.", answer, case=True, whitespace="keep").reward == 1.0
    assert judge(f"\\boxed{{{answer.swapcase()}}}", f"  {answer}  ").reward == 1.0
    assert judge(f"\\boxed{{{answer}x}}", answer).reward == 0.0
