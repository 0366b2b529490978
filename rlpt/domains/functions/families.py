"""The families of small functions. `{k}` and `{m}` stand for constants; a text constant is quoted in the body."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from rlpt.domains.functions.function import Function

Constants = Sequence[tuple[int | str, ...]]


def each(*values: int | str) -> Constants:
    """One constant each."""
    return tuple((value,) for value in values)


NONE: Constants = ((),)
SMALL = each(*range(2, 13))
MANY = each(*range(2, 41))
SOME = each(*range(3, 24))
LENGTHS = each(*range(2, 10))
LETTERS = each(*"abeilnorst")
ENDINGS = each("s", "ed", "ing", "!", "er", "?", "ly", "y")
PREFIXES = each("re", "un", "my ", "the ", "no ", "pre", "# ", "Mr. ")
RANGES: Constants = tuple((low, low + width) for low in (0, 2, 5, 10) for width in (3, 5, 10))
LINES: Constants = tuple((slope, start) for slope in (2, 3, 4, 5) for start in (1, 2, 3, 5, 7))


@dataclass(frozen=True, slots=True)
class Family:
    """Functions that differ in their constants only."""

    name: str
    parameters: tuple[str, ...]
    body: str
    wordings: tuple[str, ...]
    constants: Constants = NONE

    def functions(self) -> Iterator[Function]:
        """Yield one function for each tuple of constants."""
        for values in self.constants:
            spoken = {
                key: f'"{value}"' if isinstance(value, str) else value for key, value in zip("km", values, strict=False)
            }
            written = {key: repr(value) for key, value in zip("km", values, strict=False)}
            yield Function(
                family=self.name,
                parameters=self.parameters,
                wordings=tuple(wording.format(**spoken) for wording in self.wordings),
                body="return " + self.body.format(**written),
                constants=tuple(values),
            )


def family(header: str, body: str, *wordings: str, over: Constants = NONE) -> Family:
    """Declare a family: `family("add(x)", "x + {k}", "returns x plus {k}", over=SMALL)`."""
    name, _, rest = header.partition("(")
    parameters = tuple(parameter.strip() for parameter in rest.rstrip(")").split(","))
    return Family(name, parameters, body, wordings, over)


NUMBERS = (
    family("add_to(x)", "x + {k}", "returns x plus {k}", "adds {k} to x and returns the sum", over=MANY),
    family(
        "subtract_from(x)", "x - {k}", "returns x minus {k}", "subtracts {k} from x and returns the result", over=MANY
    ),
    family("times(x)", "x * {k}", "returns x times {k}", "multiplies x by {k} and returns the result", over=MANY),
    family("take_away(x)", "{k} - x", "returns {k} minus x", "subtracts x from {k} and returns the result", over=MANY),
    family(
        "line(x)", "x * {k} + {m}", "returns x times {k} plus {m}", "multiplies x by {k} and then adds {m}", over=LINES
    ),
    family("square_plus(x)", "x * x + {k}", "returns the square of x plus {k}", "squares x and adds {k}", over=SMALL),
    family("square_minus(x)", "x * x - {k}", "returns the square of x minus {k}", over=SMALL),
    family("power(x)", "x ** {k}", "returns x to the power of {k}", over=each(2, 3, 4, 5)),
    family("whole_part(x)", "x // {k}", "returns x divided by {k}, rounded down, using //", over=SMALL),
    family("remainder(x)", "x % {k}", "returns the remainder of x divided by {k}", "returns x modulo {k}", over=SOME),
    family("at_least(x)", "max(x, {k})", "returns the larger of x and {k}", over=SOME),
    family("at_most(x)", "min(x, {k})", "returns the smaller of x and {k}", over=SOME),
    family("distance(x)", "abs(x - {k})", "returns the absolute value of x minus {k}", over=SOME),
    family("size(x)", "abs(x)", "returns the absolute value of x"),
    family("negate(x)", "-x", "returns x with its sign changed", "returns minus x"),
    family("clamp(x)", "max({k}, min(x, {m}))", "returns x, but at least {k} and at most {m}", over=RANGES),
    family("last_digit_text(x)", "str(x)[-1]", "returns the last character of x as a string"),
    family("as_text(x)", "str(x)", "returns x as a string"),
    family("count_digits(x)", "len(str(abs(x)))", "returns how many digits x has, ignoring a minus sign"),
    family("repeat_list(x)", "[x] * {k}", "returns a list with x {k} times", over=each(2, 3, 4, 5)),
    family("multiples(x)", "[x, x * 2, x * 3]", "returns a list of x, x times 2 and x times 3"),
    family("neighbours(x)", "[x - {k}, x + {k}]", "returns a list of x minus {k} and x plus {k}", over=SMALL),
)

TESTS = (
    family("is_above(x)", "x > {k}", "returns True if x is greater than {k}, else False", over=SOME),
    family("is_below(x)", "x < {k}", "returns True if x is less than {k}, else False", over=SOME),
    family("is_number(x)", "x == {k}", "returns True if x equals {k}, else False", over=SOME),
    family("is_multiple(x)", "x % {k} == 0", "returns True if x is divisible by {k}, else False", over=SOME),
    family("is_even(x)", "x % 2 == 0", "returns True if x is even, else False"),
    family("is_odd(x)", "x % 2 != 0", "returns True if x is odd, else False"),
    family("is_positive(x)", "x > 0", "returns True if x is positive, else False"),
    family("is_negative(x)", "x < 0", "returns True if x is negative, else False"),
    family("in_range(x)", "{k} <= x <= {m}", "returns True if x is between {k} and {m}, both included", over=RANGES),
    family(
        "ends_in_digit(x)", "x % 10 == {k}", "returns True if x % 10 equals {k}, else False", over=each(*range(1, 10))
    ),
)

PAIRS = (
    family("add_both(a, b)", "a + b + {k}", "returns a plus b plus {k}", over=SMALL),
    family("add_two(a, b)", "a + b", "returns the sum of a and b"),
    family("difference(a, b)", "a - b", "returns a minus b"),
    family("product(a, b)", "a * b", "returns a times b", "returns the product of a and b"),
    family("product_plus(a, b)", "a * b + {k}", "returns a times b plus {k}", over=SMALL),
    family("sum_times(a, b)", "(a + b) * {k}", "returns the sum of a and b, times {k}", over=SMALL),
    family("difference_times(a, b)", "(a - b) * {k}", "returns a minus b, times {k}", over=SMALL),
    family(
        "weigh(a, b)",
        "a * {k} + b * {m}",
        "returns a times {k} plus b times {m}",
        over=((2, 3), (3, 2), (2, 5), (4, 3)),
    ),
    family("larger(a, b)", "max(a, b)", "returns the larger of a and b"),
    family("smaller(a, b)", "min(a, b)", "returns the smaller of a and b"),
    family("larger_plus(a, b)", "max(a, b) + {k}", "returns the larger of a and b, plus {k}", over=SMALL),
    family("smaller_plus(a, b)", "min(a, b) + {k}", "returns the smaller of a and b, plus {k}", over=SMALL),
    family("gap(a, b)", "abs(a - b)", "returns the absolute difference of a and b"),
    family("sum_of_squares(a, b)", "a * a + b * b", "returns the square of a plus the square of b"),
    family("both_above(a, b)", "a > {k} and b > {k}", "returns True if a and b are both greater than {k}", over=SMALL),
    family("either_above(a, b)", "a > {k} or b > {k}", "returns True if a or b is greater than {k}", over=SMALL),
    family("sum_above(a, b)", "a + b > {k}", "returns True if a plus b is greater than {k}", over=SOME),
    family("same(a, b)", "a == b", "returns True if a and b are equal, else False"),
    family("is_bigger(a, b)", "a > b", "returns True if a is greater than b, else False"),
    family("as_list(a, b)", "[a, b]", "returns a list of a and b"),
    family("swapped(a, b)", "[b, a]", "returns a list of b and a, in that order"),
    family("add_three(a, b, c)", "a + b + c", "returns the sum of a, b and c"),
    family("largest(a, b, c)", "max(a, b, c)", "returns the largest of a, b and c"),
    family("smallest(a, b, c)", "min(a, b, c)", "returns the smallest of a, b and c"),
    family("multiply_three(a, b, c)", "a * b * c", "returns the product of a, b and c"),
    family("sum_minus(a, b, c)", "a + b - c", "returns a plus b minus c"),
    family("product_minus(a, b, c)", "a * b - c", "returns a times b minus c"),
    family("times_sum(a, b, c)", "a * (b + c)", "returns a times the sum of b and c"),
    family("all_same(a, b, c)", "a == b == c", "returns True if a, b and c are all equal"),
)

TEXTS = (
    family("upper(text)", "text.upper()", "returns text in upper case"),
    family("lower(text)", "text.lower()", "returns text in lower case"),
    family("backwards(text)", "text[::-1]", "returns text reversed"),
    family("trim(text)", "text.strip()", "returns text without spaces at both ends"),
    family("first_letters(text)", "text[:{k}]", "returns the first {k} characters of text", over=LENGTHS),
    family("last_letters(text)", "text[-{k}:]", "returns the last {k} characters of text", over=LENGTHS),
    family("skip_letters(text)", "text[{k}:]", "returns text without its first {k} characters", over=LENGTHS),
    family("repeat(text)", "text * {k}", "returns text repeated {k} times", over=SMALL),
    family("add_end(text)", "text + {k}", "returns text followed by {k}", "adds {k} to the end of text", over=ENDINGS),
    family("add_start(text)", "{k} + text", "returns {k} followed by text", over=PREFIXES),
    family("swap_letter(text)", "text.replace({k}, {m})", "replaces {k} with {m} in text and returns the result",
           over=(("a", "e"), ("o", "u"), ("e", "i"), (" ", "_"), (" ", "-"), ("l", "r"), ("b", "p"), ("n", "m"))),
    family("remove_letter(text)", "text.replace({k}, '')", "returns text without the letter {k}", over=LETTERS),
    family("count_letter(text)", "text.count({k})", "returns how often {k} occurs in text", over=LETTERS),
    family("length(text)", "len(text)", "returns the length of text"),
    family("length_plus(text)", "len(text) + {k}", "returns the length of text plus {k}", over=SMALL),
    family("length_times(text)", "len(text) * {k}", "returns the length of text times {k}", over=SMALL),
    family("count_words(text)", "len(text.split())", "returns the number of words in text"),
    family("split_words(text)", "text.split()", "returns a list of the words in text"),
    family("letters(text)", "list(text)", "returns a list of the characters of text"),
    family("starts(text)", "text.startswith({k})", "returns True if text starts with {k}", over=LETTERS),
    family("ends(text)", "text.endswith({k})", "returns True if text ends with {k}", over=LETTERS),
    family("has_letter(text)", "{k} in text", "returns True if text contains {k}, else False", over=LETTERS),
    family("is_longer(text)", "len(text) > {k}", "returns True if text is longer than {k} characters", over=SMALL),
    family("is_length(text)", "len(text) == {k}", "returns True if the length of text is {k}", over=SMALL),
    family("is_empty(text)", "text == ''", "returns True if text is empty, else False"),
    family("is_palindrome(text)", "text == text[::-1]", "returns True if text is the same when reversed"),
    family("first_letter(text)", "text[0]", "returns the first character of text"),
    family("last_letter(text)", "text[-1]", "returns the last character of text"),
)  # fmt: skip

LISTS = (
    family("total(numbers)", "sum(numbers)", "returns the sum of numbers"),
    family("total_plus(numbers)", "sum(numbers) + {k}", "returns the sum of numbers plus {k}", over=SOME),
    family("total_times(numbers)", "sum(numbers) * {k}", "returns the sum of numbers times {k}", over=SMALL),
    family("how_many(numbers)", "len(numbers)", "returns how many numbers there are"),
    family("length_plus_list(numbers)", "len(numbers) + {k}", "returns the length of numbers plus {k}", over=SMALL),
    family("biggest(numbers)", "max(numbers)", "returns the largest of numbers"),
    family("least(numbers)", "min(numbers)", "returns the smallest of numbers"),
    family("biggest_plus(numbers)", "max(numbers) + {k}", "returns the largest of numbers plus {k}", over=SMALL),
    family("spread(numbers)", "max(numbers) - min(numbers)", "returns the largest of numbers minus the smallest"),
    family("count_value(numbers)", "numbers.count({k})", "returns how often {k} is in numbers", over=SMALL),
    family("first_item(numbers)", "numbers[0]", "returns the first item of numbers"),
    family("last_item(numbers)", "numbers[-1]", "returns the last item of numbers"),
    family("first_plus_last(numbers)", "numbers[0] + numbers[-1]", "returns the first item of numbers plus the last"),
    family(
        "add_each(numbers)", "[n + {k} for n in numbers]", "returns a list with {k} added to each of numbers", over=SOME
    ),
    family("times_each(numbers)", "[n * {k} for n in numbers]", "returns a list of numbers, each times {k}", over=SOME),
    family("squares(numbers)", "[n * n for n in numbers]", "returns a list of the squares of numbers"),
    family(
        "keep_above(numbers)",
        "[n for n in numbers if n > {k}]",
        "returns a list of the numbers greater than {k}",
        over=SOME,
    ),
    family(
        "keep_below(numbers)",
        "[n for n in numbers if n < {k}]",
        "returns a list of the numbers less than {k}",
        over=SOME,
    ),
    family("keep_even(numbers)", "[n for n in numbers if n % 2 == 0]", "returns a list of the even numbers in numbers"),
    family("drop_value(numbers)", "[n for n in numbers if n != {k}]", "returns numbers without every {k}", over=SMALL),
    family(
        "count_above(numbers)",
        "sum(1 for n in numbers if n > {k})",
        "returns how many of numbers are greater than {k}",
        over=SOME,
    ),
    family("in_reverse(numbers)", "numbers[::-1]", "returns a list of numbers in reverse order"),
    family("in_order(numbers)", "sorted(numbers)", "returns a sorted list of numbers"),
    family("first_items(numbers)", "numbers[:{k}]", "returns the first {k} items of numbers", over=LENGTHS),
    family("last_items(numbers)", "numbers[-{k}:]", "returns the last {k} items of numbers", over=LENGTHS),
    family("skip_items(numbers)", "numbers[{k}:]", "returns numbers without the first {k} items", over=LENGTHS),
    family("append_value(numbers)", "numbers + [{k}]", "returns numbers with {k} added at the end", over=SOME),
    family("prepend_value(numbers)", "[{k}] + numbers", "returns numbers with {k} added at the start", over=SOME),
    family("contains(numbers)", "{k} in numbers", "returns True if {k} is in numbers, else False", over=SOME),
    family("has_many(numbers)", "len(numbers) > {k}", "returns True if numbers has more than {k} items", over=SMALL),
    family(
        "sum_is_above(numbers)",
        "sum(numbers) > {k}",
        "returns True if the sum of numbers is greater than {k}",
        over=SOME,
    ),
    family(
        "all_above(numbers)",
        "all(n > {k} for n in numbers)",
        "returns True if all numbers are greater than {k}",
        over=SMALL,
    ),
    family(
        "any_above(numbers)",
        "any(n > {k} for n in numbers)",
        "returns True if any number is greater than {k}",
        over=SMALL,
    ),
)

FAMILIES: tuple[Family, ...] = (*NUMBERS, *TESTS, *PAIRS, *TEXTS, *LISTS)


def all_functions(families: Iterable[Family] = FAMILIES) -> Iterator[Function]:
    """Yield every function of the grammar, in a fixed order."""
    for each_family in families:
        yield from each_family.functions()
