"""The math verifier pays for right answers in any spelling, and for nothing else."""

import json
import threading
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rlpt.errors import UserError
from rlpt.records import Task
from rlpt.verifiers.math import MathVerifier

DATA = Path(__file__).parent / "data"
VERIFIER = MathVerifier()


def rows(name):
    return [json.loads(line) for line in (DATA / name).read_text().splitlines()]


def judge(completion, gold, verifier=VERIFIER):
    return verifier.verify(Task("math", "t", [], {"answer": gold}), completion)


def accepts(completion, gold):
    return judge(completion, gold).reward == 1.0


def box(answer):
    return f"\\boxed{{{answer}}}"


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


# Properties

PIECES = st.sampled_from(
    [
        *(
            "\\boxed{",
            "\\frac{",
            "\\sqrt{",
            "\\text{",
            "\\left(",
            "\\right)",
            "\\pm",
            "\\infty",
            "\\cup",
            "\\\\",
            "\\%",
            "\\$",
        ),
        *(
            "\\begin{pmatrix}",
            "\\end{pmatrix}",
            "\\(",
            "\\)",
            "\\[",
            "\\]",
            "$",
            "^",
            "_",
            "{",
            "}",
            "(",
            ")",
            "[",
            "]",
            "|",
        ),
        *(
            ",",
            ";",
            ":",
            "=",
            "<",
            ">",
            "+",
            "-",
            "*",
            "/",
            "!",
            "'",
            ".",
            "...",
            "&",
            "#",
            "####",
            "\n",
            "。",
            "½",
            "∞",
        ),
        *(
            "0",
            "1",
            "2",
            "12",
            "3.5",
            "1,000",
            "x",
            "y",
            "n",
            "e",
            "i",
            "pi",
            "sin",
            "log",
            "answer",
            "is",
            "or",
            "and",
            "the",
        ),
        *("<think>", "</think>", "<answer>", "</answer>", "<|im_end|>"),
    ]
)
TEXTS = st.one_of(
    st.text(max_size=200), st.lists(PIECES, max_size=40).map("".join), st.lists(PIECES, max_size=40).map(" ".join)
)
GOLDS = st.sampled_from(
    ["5", "\\frac{1}{2}", "x^2+1", "(1,2)", "[0,1)", "1,2,3", "x>1", "28\\%", "\\text{Evelyn}", "3:4", "\\sqrt{2}"]
)


@settings(max_examples=500, deadline=None)
@given(text=TEXTS, boxed_=st.booleans(), gold=GOLDS)
def test_any_text_gets_a_verdict_and_always_the_same(text, boxed_, gold):
    completion = box(text) if boxed_ else text
    verdict = judge(completion, gold)
    assert verdict.reward in (0.0, 1.0)
    assert verdict.status == ("correct" if verdict.reward else "wrong")
    assert set(verdict.parts) == {"format"}
    assert judge(completion, gold) == verdict


def decimal(value):
    """The digits of a fraction whose denominator is a product of twos and fives."""
    places = next(places for places in range(40) if (value * 10**places).denominator == 1)
    digits = str(abs(int(value * 10**places))).rjust(places + 1, "0")
    sign = "-" if value < 0 else ""
    return f"{sign}{digits[:-places]}.{digits[-places:]}" if places else f"{sign}{digits}"


def spellings(value):
    """Texts that all mean `value`."""
    top, bottom, sign = abs(value.numerator), value.denominator, "-" if value < 0 else ""
    texts = [
        f"{sign}\\frac{{{top}}}{{{bottom}}}",
        f"{sign}\\dfrac{{{3 * top}}}{{{3 * bottom}}}",
        f"{sign}{top}/{bottom}",
    ]
    texts += [
        f"\\frac{{{sign}{top}}}{{{bottom}}}",
        f"{sign}\\tfrac{{{top}.0}}{{{bottom}.00}}",
        f"{sign}{top} \\div {bottom}",
    ]
    whole, rest = divmod(top, bottom)
    if whole and rest:
        texts += [f"{sign}{whole}\\frac{{{rest}}}{{{bottom}}}", f"{sign}{whole} {rest}/{bottom}"]
    if set(_prime_factors(bottom)) <= {2, 5}:
        exact = decimal(value)
        texts += [exact, exact + "0" if "." in exact else exact + ".0", f"{exact}\\times 10^{{0}}"]
    if bottom == 1:
        texts += [
            f"{value.numerator:,}",
            f"{value.numerator:,}".replace(",", "{,}"),
            f"{value.numerator:,}".replace(",", ",\\! "),
        ]
    return texts


def _prime_factors(number):
    factor = 2
    while number > 1:
        if number % factor == 0:
            yield factor
            number //= factor
        else:
            factor += 1


WRAPPERS = [
    str,
    " {} ".format,
    "${}$".format,
    "\\({}\\)".format,
    lambda answer: answer if "," in answer else f"\\left({answer}\\right)",  # (1,200) is a pair
    "{{{}}}".format,
    "x = {}".format,
    "{}\\text{{ cm}}".format,
    "{}\\ \\mathrm{{units}}".format,
    "\\displaystyle {}".format,
    "{}.".format,
    "\\text{{Area}} = {}".format,
]
FRACTIONS = st.builds(Fraction, st.integers(-5_000, 5_000), st.sampled_from([1, 1, 2, 3, 4, 5, 7, 8, 12, 25, 99]))


@settings(max_examples=300, deadline=None)
@given(value=FRACTIONS, data=st.data())
def test_an_answer_equals_itself_in_every_spelling(value, data):
    gold = data.draw(st.sampled_from(spellings(value)))
    answer = data.draw(st.sampled_from(WRAPPERS))(data.draw(st.sampled_from(spellings(value))))
    assert accepts(f"So we get {box(answer)}.", gold), (answer, gold)


@settings(max_examples=300, deadline=None)
@given(value=FRACTIONS, other=FRACTIONS, data=st.data())
def test_another_value_is_wrong_in_every_spelling(value, other, data):
    gold = data.draw(st.sampled_from(spellings(value)))
    answer = data.draw(st.sampled_from(WRAPPERS))(data.draw(st.sampled_from(spellings(other))))
    assert accepts(box(answer), gold) == (value == other), (answer, gold)


SMALL = st.integers(-9, 9)


@settings(max_examples=100, deadline=None)
@given(a=SMALL, b=SMALL, wrong=st.integers(1, 5))
def test_expressions_equal_their_expansion_and_no_other(a, b, wrong):
    gold = f"(x + {a})(x + {b})".replace("+ -", "- ")
    expanded = "x^{2} + " + f"{a + b}x + {a * b}".replace("+ -", "- ")
    assert accepts(box(expanded), gold)
    assert accepts(box(f"{a * b} + x \\cdot x + {a + b} \\cdot x"), gold)
    assert not accepts(box(f"x^2 + {a + b}x + {a * b + wrong}"), gold)


@settings(max_examples=100, deadline=None)
@given(items=st.lists(st.integers(-99, 99), min_size=2, max_size=6, unique=True), data=st.data())
def test_the_order_of_a_list_is_free_and_that_of_a_point_is_not(items, data):
    shuffled = data.draw(st.permutations(items))
    plain, other = ", ".join(map(str, items)), ", ".join(map(str, shuffled))
    assert accepts(box(other), plain)
    assert accepts(box(f"\\{{{other}\\}}"), plain)
    assert accepts(box(f"({other})"), f"({plain})") == (shuffled == items)
    assert not accepts(box(", ".join(map(str, shuffled[:-1]))), plain)


@settings(max_examples=100, deadline=None)
@given(
    low=st.integers(-99, 98), size=st.integers(1, 50), brackets=st.tuples(st.sampled_from("(["), st.sampled_from(")]"))
)
def test_intervals_keep_their_brackets(low, size, brackets):
    left, right = brackets
    high = low + size
    gold = f"{left}{low}, {high}{right}"
    assert accepts(box(f"\\left{left}{low},\\,{high}\\right{right}"), gold)
    below, above = "<" if left == "(" else "\\le", "<" if right == ")" else "\\leq"
    assert accepts(box(f"{low} {below} x {above} {high}"), gold)
    for other in ("()", "(]", "[)", "[]"):
        assert accepts(box(f"{other[0]}{low}, {high}{other[1]}"), gold) == (other == left + right)
