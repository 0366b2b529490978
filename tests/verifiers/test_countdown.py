# ruff: noqa: RUF001
"""The countdown verifier computes an expression of the given numbers exactly, and evaluates nothing else."""

import time
from fractions import Fraction

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from rlpt.errors import UserError
from rlpt.records import Task
from rlpt.verifiers.countdown import CountdownVerifier

ONES = {"numbers": [1, 81, 1, 1], "target": 81}
FOURS = {"numbers": [8, 3, 8, 3], "target": 24}


def judge(completion, reference=ONES, **options):
    return CountdownVerifier(**options).verify(Task("countdown", "t", [], reference), completion)


def accepts(expression, reference=ONES, **options):
    verdicts = [judge(text % expression, reference, **options) for text in ("\\boxed{%s}", "<answer>%s</answer>")]
    assert all(set(verdict.parts) == {"format"} for verdict in verdicts)
    assert verdicts[1].parts["format"] == (1.0 if expression.strip() else 0.0)
    assert {verdict.status for verdict in verdicts} <= {"correct", "wrong"}
    rewards = {verdict.reward for verdict in verdicts}
    assert len(rewards) == 1
    return rewards.pop() == 1.0


@pytest.mark.parametrize(
    "expression",
    [
        *("81*1*1*1", "81 * 1 * 1 * 1 = 81", "((81*1)*1)*1=81", "1*1*1*81", "81+1-1*1", "(81/1)/(1/1)", "1-1+81/1"),
        *("81 × 1 ÷ 1 · 1", "81 ⋅ 1 × 1 × 1", "81 + 1 − 1×1", "(((((81)))))*1*1*1", " 81\n* 1 * 1 * 1 ", "`81*1*1*1`"),
        *(r"81 \times 1 \cdot 1 \div 1", r"\frac{81}{1} \times 1 \times 1", r"\dfrac{81 \cdot 1}{\frac{1}{1}}"),
        *(r"$81*1*1*1$", r"\(81*1*1*1\)", r"\left(81\,*\,1\right)*1*1 = 81", "81*1*1*1.", "81*1*1*1 = 81."),
    ],
)
def test_expressions_of_the_numbers_with_the_target_as_value_are_right(expression):
    assert accepts(expression)


@pytest.mark.parametrize(
    "expression",
    [
        *("81*1", "81", "81*1*1", "81*1*1*1*1", "81*81*1*1/81", "81+1*1*0", "81*2-81", "80+1", ""),
        *("81*1*1*1=82", "81*1*1+1 = 81", "81*1*1*1 = 81.0", "81*1*1*1 = 81 = 81", "81*1*1*1 =", "= 81"),
        *("81 = 81*1*1*1",),
        *("81*1*1*1 = 0081", "81*1*1*1 ≈ 81", "81*1*1*1 = 162/2", "81*1*1*1 == 81", "81*1*1+1", "81-1-1-1"),
        *("11*81/11", "1 1*81", "81*1**1*1", "81**1*1*1", "81//1*1*1", "81^1*1*1", "81*1*1%1", "81*1*-1*-1"),
        *("-1+1+81*1",),
        *("+81*1*1*1", "81*1*1*(+1)", "81(1)(1)(1)", "(81)1*1*1", "81*1*1*1!", "81.0*1*1*1", "081*1*1*1", "8_1*1*1*1"),
        *("81*1*1*1)", "(81*1*1*1", "()81*1*1*1", "81*1*1*1()", "81*1*1*", "*81*1*1*1", "81*(1*1]*1", "{81}*1*1*1"),
        *(r"\frac{81}{1}1*1", r"\frac{81*1*1*1}", r"\frac81*1*1*1", r"\frac{81}(1)*1*1", r"\frac{}{81}*1*1*1"),
        *(r"\sqrt{81}",),
        *(r"\frac{81}{1*1*1", r"\fraction{81}{1}*1*1", r"\times81*1*1*1", r"81\timesx1*1*1", r"81*1*1*1\\"),
        *("81/(1-1)*1", "1/(1-1)+81", "81*1*1*1 or 81+1-1*1", "81*1*1*1, 81*1/1*1", "x=81*1*1*1", "81 x 1 x 1 x 1"),
        *("٨١*1*1*1", "８１*1*1*1", "81*1*1*¹", "0x51*1*1*1", "81e0*1*1*1", "81*1*1*1j", "81*1*True*1", "81*1*1*1#"),
        *("81,*1*1*1",),
        *("__import__('os')", "81*1*1*1 if 1 else 1", "(lambda: 81)()*1*1*1", "[81][0]*1*1*1", "eval('81*1*1*1')"),
    ],
)
def test_all_else_is_wrong(expression):
    assert not accepts(expression)


@pytest.mark.parametrize(
    ("expression", "reference", "options", "right"),
    [
        ("8/(3-8/3)", FOURS, {}, True),
        ("8/(3-8/3)", FOURS, {"fractions": False}, False),
        ("8*3*(8/8)", FOURS, {}, False),
        ("8*3", FOURS, {}, False),
        ("8*3", FOURS, {"use_all": False}, True),
        ("8*3", {**FOURS, "use_all": False}, {}, True),
        ("8*3", {**FOURS, "use_all": True}, {"use_all": False}, False),
        ("3*3*8/3", FOURS, {"use_all": False}, False),
        ("24", {**FOURS, "numbers": [24]}, {}, True),
        ("10/3", {"numbers": [10, 3], "target": 3}, {}, False),
        ("10/3*3", {"numbers": [10, 3, 3], "target": 10}, {}, True),
        ("1000000000000*3/3", {"numbers": [10**12, 3, 3], "target": 10**12}, {}, True),
        ("1000000000000/999999999999", {"numbers": [10**12, 10**12 - 1], "target": 1}, {}, False),
        ("3-8 = -5", {"numbers": [3, 8], "target": -5}, {}, True),
        ("3-8 = −5", {"numbers": [3, 8], "target": -5}, {}, True),
        ("3-8 = 5", {"numbers": [3, 8], "target": -5}, {}, False),
        ("11*2", {"numbers": [11, 2], "target": 22}, {}, True),
        ("0+5", {"numbers": [0, 5], "target": 5}, {}, True),
        ("8-5-3", {"numbers": [8, 5, 3], "target": 0}, {}, True),
        ("8/4/2", {"numbers": [8, 4, 2], "target": 1}, {}, True),
        ("2+3*4", {"numbers": [2, 3, 4], "target": 20}, {}, False),
        ("8-5-3", {"numbers": [8, 5, 3], "target": 6}, {}, False),
    ],
)
def test_numbers_and_quotients_are_as_configured(expression, reference, options, right):
    assert accepts(expression, reference, **options) == right


@pytest.mark.parametrize(
    ("completion", "right"),
    [
        ("\\boxed{81*1} no, \\boxed{81*1*1*1}", True),
        ("\\boxed{81*1*1*1} no, \\boxed{81*1}", False),
        ("\\boxed{81*1*1*1}\\boxed{81*1}", False),
        ("<think>\\boxed{81*1*1*1}</think>", False),
        ("<think>\\boxed{81*1*1*1}", False),
        ("<think>hm</think>\\boxed{81*1*1*1}<|im_end|>", True),
        ("81*1*1*1", False),
        ("#### 81*1*1*1", False),
        ("<answer>81*1*1*1</answer> <answer>81</answer>", False),
    ],
)
def test_the_last_asked_for_form_counts(completion, right):
    assert (judge(completion).reward == 1.0) == right


def test_other_forms_count_where_they_are_asked_for():
    assert judge("#### 81*1*1*1", forms=["hash"]).reward == 1.0
    assert judge("\\boxed{81*1*1*1}", forms=["tag"]) == judge("nothing", forms=["tag"])


@pytest.mark.parametrize("forms", [[], "boxed", ["box"]])
def test_unknown_forms_are_refused(forms):
    with pytest.raises(UserError, match="forms"):
        CountdownVerifier(forms=forms)


@pytest.mark.parametrize(
    ("reference", "field"),
    [
        *(({"target": 1}, "numbers"), ({"numbers": [], "target": 1}, "numbers")),
        *(({"numbers": "11", "target": 1}, "numbers"),),
        *(({"numbers": [1, -1], "target": 1}, "numbers"), ({"numbers": [1, True], "target": 1}, "numbers")),
        *(({"numbers": [1.0], "target": 1}, "numbers"), ({"numbers": ["1"], "target": 1}, "numbers")),
        *(({"numbers": [10**12 + 1], "target": 1}, "numbers"), ({"numbers": [1] * 101, "target": 1}, "numbers")),
        *(({"numbers": [1]}, "target"), ({"numbers": [1], "target": "1"}, "target")),
        *(({"numbers": [1], "target": True}, "target"),),
        ({"numbers": [1], "target": 1, "use_all": "no"}, "use_all"),
    ],
)
def test_a_broken_reference_is_refused(reference, field):
    with pytest.raises(UserError, match=f"countdown: .*'{field}'"):
        CountdownVerifier().check_reference(reference)
    with pytest.raises(UserError, match=field):
        judge("\\boxed{1}", reference)


def test_nothing_that_an_answer_says_is_run(tmp_path):
    file = tmp_path / "ran"
    for code in (f"open({str(file)!r}, 'w')", f"__import__('pathlib').Path({str(file)!r}).touch()"):
        assert not accepts(code)
        assert not accepts(f"81*1*1*1 if {code} else 1")
    assert not file.exists()


@pytest.mark.parametrize(
    "expression",
    [
        *("(" * 100_000, "(" * 10_000 + "81" + ")" * 10_000 + "*1*1*1", "9" * 100_000, "1" + "*1" * 50_000),
        *("9**" * 30_000 + "9",),
        *("\\frac{" * 20_000, "\\frac{1}{" * 9_000 + "1" + "}" * 9_000, "81 " + " " * 100_000 + "*1*1*1 x"),
        *("$ " * 50_000,),
        *("`" * 100_000, "=" * 100_000, "81*1*1*1 = " + "8" * 100_000, "." * 100_000, "-" * 100_000, "\\left" * 20_000),
    ],
    ids=lambda text: text[:12],
)
def test_any_size_is_judged_at_once(expression):
    started = time.process_time()
    verdict = judge(f"<answer>{expression}</answer>")
    assert verdict.reward == (1.0 if expression.startswith("(((") and "81" in expression else 0.0)
    assert time.process_time() - started < 2.0
    assert "\n" not in verdict.detail
    assert len(verdict.detail) < 400


PIECES = st.sampled_from(
    [
        *"0123456789+-*/()={}.,^!$` \n×÷·−",
        "81",
        "11",
        "\\frac{",
        "}{",
        "\\times",
        "\\div",
        "**",
        "//",
        "\\boxed{",
        "</answer>",
    ]
)


@settings(max_examples=300, deadline=None)
@given(text=st.one_of(st.text(max_size=100), st.lists(PIECES, max_size=25).map("".join)))
def test_any_text_gets_a_verdict_and_always_the_same(text):
    for completion in (text, f"\\boxed{{{text}}}", f"<answer>{text}</answer>"):
        verdict = judge(completion)
        assert verdict.reward in (0.0, 1.0)
        assert judge(completion) == verdict


@st.composite
def trees(draw):
    """An expression with its numbers and its value, written with more brackets than it needs or with \\frac."""
    if draw(st.integers(0, 2)) == 0:
        number = draw(st.integers(0, 20))
        return str(number), [number], Fraction(number)
    (left, used, a), (right, more, b) = draw(trees()), draw(trees())
    operator = draw(st.sampled_from("+-*/"))
    if operator == "/":
        assume(b != 0)
        text = draw(st.sampled_from([f"(({left})/({right}))", f"\\frac{{{left}}}{{{right}}}"]))
        return text, used + more, a / b
    return f"({left} {operator} {right})", used + more, {"+": a + b, "-": a - b, "*": a * b}[operator]


@settings(max_examples=200, deadline=None)
@given(tree=trees(), spare=st.integers(0, 20))
def test_an_expression_is_worth_its_exact_value(tree, spare):
    text, numbers, value = tree
    assume(len(numbers) <= 20 and value.denominator == 1 and abs(value) < 10**12)
    puzzle = {"numbers": numbers, "target": int(value)}
    assert accepts(text, puzzle)
    assert accepts(f"{text} = {int(value)}", puzzle)
    assert not accepts(text, {**puzzle, "target": int(value) + 1})
    assert not accepts(text, {**puzzle, "numbers": [*numbers, spare]})
    assert accepts(text, {**puzzle, "numbers": [*numbers, spare], "use_all": False})
    if len(numbers) > 1:
        assert not accepts(text, {**puzzle, "numbers": numbers[1:], "use_all": False})
