"""The math verifier pays for right answers in any spelling, and for nothing else."""

import json
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from rlpt.errors import UserError
from rlpt.verifiers.math import MathVerifier
from tests.verifiers.math_answers import VERIFIER, accepts, box, judge

DATA = Path(__file__).parent / "data"


def rows(name):
    return [json.loads(line) for line in (DATA / name).read_text().splitlines()]


CASES = [
    pytest.param(row, id=f"{name}-{row['id']}") for name in ("answers", "kinds") for row in rows(f"math_{name}.jsonl")
]


@pytest.mark.parametrize("row", CASES)
def test_known_cases(row):
    verdict = judge(row["completion"], row["gold"])
    assert (verdict.reward, verdict.status) == ((1.0, "correct") if row["correct"] else (0.0, "wrong")), verdict.detail


@pytest.mark.parametrize(
    ("completion", "format_", "reward"),
    [
        ("\\boxed{42}", 1.0, 1.0),
        ("\\boxed{41}", 1.0, 0.0),
        ("#### 42", 1.0, 1.0),
        ("The answer is 42.", 0.0, 1.0),
        ("\\boxed{} 42", 0.0, 0.0),
        ("\\boxed{42", 0.0, 0.0),
        ("\\boxed{42} and then \\boxed{", 0.0, 0.0),
        ("<answer>42</answer>", 0.0, 1.0),
        ("", 0.0, 0.0),
        ("I don't know.", 0.0, 0.0),
    ],
)
def test_the_format_part_says_whether_the_asked_for_form_is_there(completion, format_, reward):
    verdict = judge(completion, "42")
    assert (verdict.parts, verdict.reward) == ({"format": format_}, reward)


def test_forms_are_an_argument():
    only_tags = MathVerifier(forms=["tag"], anywhere=False)
    tagged, boxed_ = judge("<answer>42</answer>", "42", only_tags), judge("\\boxed{42}", "42", only_tags)
    assert (tagged.reward, tagged.parts["format"]) == (1.0, 1.0)
    assert (boxed_.reward, boxed_.parts["format"]) == (0.0, 0.0)


def test_work_left_to_do_is_paid_only_where_told_so():
    lenient = MathVerifier(computed=False)
    assert judge(box("17 + 5"), "22").reward == 0.0
    assert "left to compute" in judge(box("17 + 5"), "22").detail
    assert judge(box("17 + 5"), "22", lenient).reward == 1.0
    assert judge(box("17 + 6"), "22", lenient).reward == 0.0


@pytest.mark.parametrize("forms", [[], ["circled"], "boxed"])
def test_unknown_forms_are_refused(forms):
    with pytest.raises(UserError, match="forms"):
        MathVerifier(forms=forms)


@pytest.mark.parametrize(
    ("completion", "gold", "right"),
    [
        ("<think>\\boxed{42}", "42", False),
        ("<think>so it is 42", "42", False),
        ("<think>\\boxed{41}</think>\\boxed{42}", "42", True),
        ("thoughts with \\boxed{41}</think>The answer is 42.", "42", True),
        ("<think>\\boxed{42}</think>", "42", False),
        ("42<|im_end|>", "42", True),
        ("\\boxed{42}<|im_end|>\n<|im_start|>user\nAnd \\boxed{43}?", "42", True),
        ("2+40=42\n#### 42\n" + "Question: what is 7 + 8? " * 20, "42", True),
        ("\\boxed{5} ... \\boxed{7}", "7", True),
        ("\\boxed{5} ... \\boxed{7}", "5", False),
        ("\\boxed{5}, that is \\boxed{\\frac{10}{2}}", "5", True),
    ],
)
def test_only_the_final_answer_of_the_response_counts(completion, gold, right):
    assert accepts(completion, gold) == right


@pytest.mark.parametrize(
    "gold",
    [
        *(
            "",
            "  ",
            "$$",
            "\\boxed{}",
            "\\text{}",
            "...",
            "???",
            "{",
            "(1,2",
            "|5",
            "x = ",
            "=5",
            "5 and",
            "5 +",
            "5,,6",
        ),
        *(
            "\\frac{1}{",
            "\\sqrt{}",
            "x^",
            "2__3",
            "1 2 3",
            "\\unknown{3}",
            "\\begin{cases}1\\\\2\\end{cases}",
            "\\int_0^1",
        ),
        *("42 #### 43", "the number is 5", "3 (see figure)", "x = 5 (rejecting x = -3)", "5 if x > 3"),
        *("The answer is \\boxed{5}", "\\boxed{5} or so", "9" * 5_000),
    ],
)
def test_a_gold_answer_that_is_not_read_in_its_whole_length_is_refused(gold):
    with pytest.raises(UserError):
        VERIFIER.check_reference({"answer": gold})
    with pytest.raises(UserError):
        judge(box(gold), gold)


@pytest.mark.parametrize("reference", [{}, {"answer": None}, {"answer": ["5"]}, {"answer": True}, {"gold": "5"}])
def test_a_reference_without_an_answer_is_refused(reference):
    with pytest.raises(UserError, match="answer"):
        VERIFIER.check_reference(reference)


@pytest.mark.parametrize("gold", ["5", 5, 5.0, "$5$", "\\boxed{5}", "\\(5\\)", "5.", "\\text{5}", "5 \\text{ apples}"])
def test_gold_answers_may_be_wrapped(gold):
    VERIFIER.check_reference({"answer": gold})
    assert accepts(box("5"), gold)


def deep(opening, inside, closing_, times=900):
    return opening * times + inside + closing_ * times


HUGE = {
    "tower": "\\dfrac{5^{(5^{(5^{(5^5)})}-4)}-5}{16}",
    "tower of nines": "9^{9^{9^{9}}}",
    "power of itself": "x^" * 900 + "x",
    "factorials": "((((10^{10})!)!)!)!",
    "binomial": "\\binom{10^9}{5\\cdot 10^8}",
    "exponential": "e^{e^{e^{10}}}",
    "digits": "7" * 100_000,
    "long root": "\\sqrt{" + "7" * 3_900 + "}",
    "sine of much": "\\sin(2^{3999})",
    "polynomial": "(x+1)^{5000}",
    "roots in roots": "\\sqrt" * 900 + "2",
    "fractions in fractions": deep("\\frac{1}{", "2", "}", 60),
    "brackets": deep("(", "1", ")"),
    "bars": deep("|", "x", "|"),
    "signs": "-" * 3_000 + "1",
    "sum": "1+" * 900 + "1",
    "list": "1," * 900 + "1",
    "plus or minus": "\\pm 1 " * 900,
    "exclamation": "5" + "!" * 900,
}


@pytest.mark.parametrize("name", HUGE)
def test_huge_answers_end_in_a_verdict(name):
    for gold in ("5", "\\sqrt{2} + x", "1, 2", "x^2 + y = 3"):
        assert judge(box(HUGE[name]), gold).reward == 0.0


@pytest.mark.parametrize(
    "text",
    [
        *(
            "{" * 50_000,
            "(" * 50_000,
            "\\boxed{" * 50_000,
            "\\boxed{1}" * 10_000 + "\\boxed{",
            "$" * 50_000,
            "\\(" * 20_000,
        ),
        *(
            "#### " * 20_000,
            "<think>" * 20_000,
            "<answer>" * 20_000,
            "the answer is " * 10_000,
            "1 " * 50_000,
            " " * 200_000,
        ),
        *("\x00" * 1_000, "\ud800", "\\" * 50_000, "**" * 50_000, "=:" * 30_000, "7" * 100_000),
    ],
)
def test_long_texts_end_in_a_verdict(text):
    assert judge(text, "5").reward == 0.0


def test_eight_threads_give_the_same_verdicts():
    cases = [(row["completion"], row["gold"]) for row in rows("math_answers.jsonl")]
    expected = [judge(*case) for case in cases]
    together = threading.Barrier(8)

    def run(_):
        together.wait()
        return [judge(*case) for case in cases]

    with ThreadPoolExecutor(8) as threads:
        assert all(found == expected for found in threads.map(run, range(8)))


@pytest.mark.parametrize("wrap", [box, str, "#### {}".format, "The answer is {}".format, "<answer>{}</answer>".format])
@pytest.mark.parametrize(
    "payload",
    [
        "__import__('os').system('touch {}')",
        "open('{}', 'w')",
        "exec(\"open('{}', 'w')\")",
        "(lambda: open('{}', 'w'))()",
        "\\immediate\\write18{{touch {}}}",
        "5 + [c for c in ().__class__.__base__.__subclasses__()]  # {}",
    ],
)
def test_nothing_in_a_completion_is_executed(payload, wrap, tmp_path):
    marker = tmp_path / "executed"
    assert judge(wrap(payload.format(marker)), "5").reward == 0.0
    assert not marker.exists()
