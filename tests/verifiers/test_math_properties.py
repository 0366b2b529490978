"""Properties of the verifier `math`: a verdict for any text, equal values in any spelling, no other value."""

from fractions import Fraction

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.verifiers.math_answers import accepts, box, judge

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
