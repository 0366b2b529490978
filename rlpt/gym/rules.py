"""How the answers of each generator of reasoning-gym are judged. What is not in `RULES` or `UNSAFE` is not known.

Most are judged by the generator's own `score_answer`. Where that would evaluate the answer, hang on it or pay wrong
ones, a rule says what an answer must look like as a whole before the scorer sees it (`shape`), or compares it with the
one right answer instead (`instead`); `because` says why.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from rlpt.gym.comparisons import Comparison, caseless, compact, grid, listing, near, number, numbers, text


@dataclass(frozen=True, slots=True)
class Rule:
    """How one generator's answers are judged.

    `needs`: keys of an item's metadata that are kept in the reference, where the item has them. `shape`: what the whole
    answer must match. `instead`: takes the place of the generator's scorer. `others`: key of the metadata with all
    right answers, where there are several. `shown`: key of the metadata with a right answer, where the item has none.
    """

    needs: tuple[str, ...] = ()
    shape: re.Pattern[str] | None = None
    instead: Comparison | None = None
    others: str = ""
    shown: str = ""
    because: str = ""


def _shape(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.ASCII)


_NUMERAL = r"[+-]?(?:\d++(?:,\d{3})*+(?:\.\d*+)?|\.\d++)"
_NUMBER = _shape(_NUMERAL)
_WHOLE = _shape(r"[+-]?\d{1,100}")
_POINT = rf"{_NUMERAL}\s*+,\s*+{_NUMERAL}"
_IMAGINARY = r"(?:\d++(?:\.\d*+)?)?\s*+i"
_COMPLEX = rf"{_NUMERAL}(?:\s*+[+-]\s*+{_IMAGINARY})?|[+-]?\s*+{_IMAGINARY}"
_JUG_MOVE = r'\s*+"(?:fill [A-Z]|empty [A-Z]|pour [A-Z]->[A-Z])"\s*+'
_DISK_MOVE = r"Move disk \d{1,3} from Peg \d{1,3} to Peg \d{1,3}"
_ROLE = r"\w++ is an? \w++"
_EVALUATES = "its scorer evaluates the answer as Python"
_PREFIX = "its scorer reads the right answer at the start and not what follows it"
_TOLERANT = "its scorer tolerates so much that wrong numbers are paid"

_EQUAL = (
    "ab acre aiw arc_1d base_conversion basic_arithmetic bf binary_alternation caesar_cipher circuit_logic "
    "color_cube_rotation count_bits count_primes course_schedule dice emoji_mystery family_relationships gcd "
    "largest_island lcm leg_counting letter_counting list_functions mahjong_puzzle manipulate_matrix maze modulo_grid "
    "needle_haystack number_filtering number_sequence path_star rotate_matrix rotten_oranges self_reference "
    "sentence_reordering simple_equations simple_geometry string_manipulation string_splitting string_synthesis "
    "syllogism tsumego word_sequence_reversal zebra_puzzles"
)
"""Scorers that pay 1.0 only for the right answer's own text, but for white space and, in some, capital letters."""

RULES: Mapping[str, Rule] = {
    **{name: Rule() for name in _EQUAL.split()},
    "advanced_geometry": Rule(
        needs=("task_type", "ortho", "incircle_radius_exact"),
        shape=_shape(rf"\(\s*+{_POINT}\s*+\)|{_POINT}|{_NUMERAL}\s*+\u00b0?"),
        because="its scorer reads the first two numbers of a list as a point",
    ),
    "arc_agi": Rule(instead=text, because="its scorer passes over lines, and the right grid is the only one"),
    "binary_matrix": Rule(instead=text, because=_EVALUATES),
    "bitwise_arithmetic": Rule(instead=caseless, because="its scorer evaluates the problem as Python"),
    "calendar_arithmetic": Rule(needs=("task",), shape=_shape(r"[A-Za-z]++|[+-]?\d{1,100}")),
    "chain_sum": Rule(shape=_NUMBER),
    "coin_flip": Rule(
        instead=near("1e-4"),
        because="its scorer pays the first digits of the right answer, and hangs on large exponents",
    ),
    "complex_arithmetic": Rule(
        needs=("result",), shape=_shape(_COMPLEX), because="its scorer pays nan, and is slow for nested brackets"
    ),
    "cryptarithm": Rule(
        needs=("words_letters", "result_letters", "allow_leading_zero"),
        shape=_shape(r"(?s)(?!.*([A-Z])=.*\1=)[A-Z]=\d(?:\s*+,\s*+[A-Z]=\d)*+"),
        because="its scorer takes the last of several digits for one letter",
    ),
    "decimal_arithmetic": Rule(instead=number, because=_TOLERANT),
    "decimal_chain_sum": Rule(shape=_NUMBER),
    "figlet_font": Rule(instead=caseless, because="its scorer pays any ten right letters"),
    "fraction_simplification": Rule(
        needs=("numerator", "denominator", "simplified_numerator", "simplified_denominator"),
        shape=_shape(r"\$?\s*+(?:\\d?frac\s*+\{\s*+\d++\s*+\}\s*+\{\s*+\d++\s*+\}|\d++\s*+/\s*+\d++)\s*+\$?"),
        because=_PREFIX,
    ),
    "futoshiki": Rule(needs=("solution",)),
    "game_of_life": Rule(
        instead=compact, because="its scorer passes over what lies outside the board, and true is 1 for it"
    ),
    "game_of_life_halting": Rule(instead=caseless, because="its scorer pays every answer that is not empty"),
    "graph_color": Rule(
        needs=("puzzle",),
        shape=_shape(
            r'(?s)(?!.*("\d++")\s*+:.*\1\s*+:)\{\s*+"\d++"\s*+:\s*+\d++(?:\s*+,\s*+"\d++"\s*+:\s*+\d++)*+\s*+\}'
        ),
        shown="possible_answer",
        because="its scorer takes the last of several colors for one vertex, and true for 1",
    ),
    "group_anagrams": Rule(needs=("solution",)),
    "gsm_symbolic": Rule(instead=number, because="its scorer reads the first number of any text, without its sign"),
    "jugs": Rule(
        needs=("puzzle",),
        shape=_shape(rf"\[{_JUG_MOVE}(?:,{_JUG_MOVE})*+\]"),
        because="its scorer passes over what else stands in a move",
    ),
    "kakurasu": Rule(
        needs=("row_sums", "col_sums", "n_rows", "n_cols"),
        shape=_shape(r"[01\s]++"),
        because="its scorer picks ones and zeros out of any text",
    ),
    "knights_knaves": Rule(
        shape=_shape(rf"{_ROLE}(?:(?:,? and |, ){_ROLE})*+\.?"),
        because="its scorer picks names and roles out of any text, also a negated one",
    ),
    "letter_jumble": Rule(instead=caseless, because=_PREFIX),
    "mini_sudoku": Rule(needs=("solution",)),
    "n_queens": Rule(needs=("valid_answers",), instead=text, others="valid_answers", because=_EVALUATES),
    "number_format": Rule(instead=near("1e-12"), because=_TOLERANT),
    "number_sorting": Rule(instead=listing, because="its scorer evaluates the right answer and tolerates errors of 1"),
    "palindrome_generation": Rule(needs=("letters",)),
    "palindrome_partitioning": Rule(needs=("solution",)),
    "polynomial_equations": Rule(
        instead=numbers, because="its scorer pays an empty answer, and further numbers where they cost nothing"
    ),
    "pool_matrix": Rule(instead=grid, because=f"{_TOLERANT}, and takes a row for a column"),
    "power_function": Rule(shape=_shape(rf"{_NUMERAL}(?:[eE][+-]?\d{{1,3}})?")),
    "prime_factorization": Rule(shape=_shape(r"\d{1,100}(?:\s*+\u00d7\s*+\d{1,100})*+")),
    "products": Rule(shape=_NUMBER),
    "quantum_lock": Rule(
        needs=("buttons", "initial_value", "initial_state", "target_value"),
        shape=_shape(r"[A-C](?:\s*+(?:\u2192|->|,)?\s*+[A-C])*+"),
        because="its scorer picks the letters A to C out of any text",
    ),
    "rearc": Rule(instead=text, because="its scorer passes over lines, and the right grid is the only one"),
    "rectangle_count": Rule(shape=_WHOLE),
    "rubiks_cube": Rule(
        needs=("cube_size", "scramble_moves"),
        shape=_shape(r"(?:[LRDUBF]w?|[XYZMES])'?\d?(?:\s++(?:[LRDUBF]w?|[XYZMES])'?\d?)*+"),
        shown="example_correct_answer",
        because="its scorer writes a move out as often as the number behind it says",
    ),
    "shortest_path": Rule(needs=("matrix",)),
    "sokoban": Rule(needs=("gamestr",), shape=_shape(r"[LRUD\s]++"), because="its scorer picks moves out of any text"),
    "spell_backward": Rule(instead=caseless, because="its scorer adds up letters, which may come to 1.0"),
    "spiral_matrix": Rule(instead=text, because=_EVALUATES),
    "string_insertion": Rule(instead=text, because=_EVALUATES),
    "sudoku": Rule(needs=("solution",)),
    "survo": Rule(
        needs=("board_size", "solution"),
        shape=_shape(r"[-\d\s]++"),
        because="its scorer picks numbers out of any text",
    ),
    "time_intervals": Rule(instead=text, because=_PREFIX),
    "tower_of_hanoi": Rule(
        needs=("num_disks", "num_pegs", "start_peg", "target_peg", "solution_length"),
        shape=_shape(rf"{_DISK_MOVE}(?:\s++{_DISK_MOVE})*+"),
        because="its scorer checks and makes a move by two readings of its line",
    ),
    "word_sorting": Rule(instead=listing, because="its scorer pays words that follow the right ones"),
}
