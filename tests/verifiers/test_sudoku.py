"""The sudoku verifier takes any grid that keeps the clues and the rules, however it is written."""

import json
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rlpt.errors import UserError
from rlpt.records import Task
from rlpt.verifiers.sudoku import BOXES, SudokuVerifier

PUZZLE = "530070000600195000098000060800060003400803001700020006060000280000419005000080079"
SOLUTION = "534678912672195348198342567859761423426853791713924856961537284287419635345286179"


def rows_of(text, size=9):
    return [text[start : start + size] for start in range(0, len(text), size)]


ROWS = rows_of(SOLUTION)
PLAIN = "\n".join(ROWS)
SPACED = "\n".join(" ".join(row) for row in ROWS)


def banded(cells, between, line):
    """Rows with a mark between the boxes of three, and a line between the bands."""
    rows = [between.join(" ".join(row[start : start + 3]) for start in (0, 3, 6)) for row in cells]
    return "\n".join("\n".join(rows[start : start + 3]) + (f"\n{line}" if start < 6 else "") for start in (0, 3, 6))


def judge(completion, puzzle=PUZZLE, **options):
    return SudokuVerifier(**options).verify(Task("sudoku", "t", [], {"puzzle": puzzle}), completion)


def accepts(grid, puzzle=PUZZLE):
    """Whether a grid is right, which it is in every form alike."""
    verdicts = [
        *(judge(form % grid, puzzle) for form in ("<answer>\n%s\n</answer>", "```\n%s\n```", "\\boxed{%s}")),
        judge(grid, puzzle),
    ]
    rewards = {verdict.reward for verdict in verdicts}
    assert len(rewards) == 1
    if rewards == {1.0}:
        assert [verdict.parts["format"] for verdict in verdicts] == [1.0, 1.0, 1.0, 0.0]
    return rewards.pop() == 1.0


@pytest.mark.parametrize(
    "grid",
    [
        PLAIN,
        SPACED,
        SOLUTION,
        " ".join(SOLUTION),
        "\r\n".join(ROWS),
        "\n\n".join(ROWS),
        banded(ROWS, " | ", "------+-------+------"),
        banded(ROWS, " | ", ""),
        banded(ROWS, " - ", "---"),
        banded(ROWS, " │ ", "──────┼───────┼──────"),
        "+---+\n" + "\n".join(f"| {' | '.join(row)} |" for row in ROWS) + "\n+---+",
        "\n".join(f"|{row[:3]}|{row[3:6]}|{row[6:]}|" for row in ROWS),
        "\n".join("\t".join(row) for row in ROWS),
        "\n".join(",".join(row) for row in ROWS),
        "\n".join("-".join(row) for row in ROWS),
        json.dumps([[int(cell) for cell in row] for row in ROWS]),
        "[\n" + ",\n".join(json.dumps([int(cell) for cell in row]) for row in ROWS) + "\n]",
        "\\begin{array}{ccc|ccc|ccc}\n" + " \\\\ \\hline\n".join(" & ".join(row) for row in ROWS) + "\n\\end{array}",
        "\\begin{bmatrix} " + " \\\\ ".join(" & ".join(row) for row in ROWS) + " \\end{bmatrix}",
        f"The puzzle\n{chr(10).join(rows_of(PUZZLE))}\nhas this solution:\n{SPACED}\nAll 9 rows are filled.",
        f"First try:\n{SPACED.replace('5', '1')}\nBetter:\n{SPACED}\nThe sum of a row is\n45",
    ],
)
def test_a_solution_is_right_however_it_is_written(grid):
    assert accepts(grid)


@pytest.mark.parametrize(
    "grid",
    [
        "",
        "I don't know.",
        PUZZLE,
        "\n".join(rows_of(PUZZLE)),
        PLAIN.replace("1", "."),
        PLAIN.replace("1", "0"),
        PLAIN.replace("1", "x"),
        SPACED.replace("1", "-1"),
        SPACED.replace("1", "1.0"),
        SPACED.replace("1", "10"),
        SPACED.replace("1", "+1"),
        # rows and columns
        "\n".join(ROWS[:8]),
        "\n".join(ROWS[1:]),
        "\n".join([*ROWS, ROWS[0]]),
        "\n".join([*ROWS, "5"]),
        "\n".join([*ROWS[:8], ROWS[8][:8]]),
        "\n".join([*ROWS[:8], f"{ROWS[8]}1"]),
        "\n".join(row[:8] for row in ROWS),
        SOLUTION[:80],
        f"{SOLUTION}5",
        f"{PLAIN}\n\n{PLAIN}",
        SPACED.replace("\n", "\nRow\n"),
        f"Solution: {SOLUTION}",
        # the rules, with the clues kept or not
        "\n".join(ROWS[1:] + ROWS[:1]),
        "\n".join([*ROWS[:7], ROWS[8], ROWS[7]]),
        "\n".join("123456789" for _ in range(9)),
        PLAIN.replace("5", "?").replace("6", "5").replace("?", "6"),
        PLAIN.replace("5", "6"),
        PLAIN[:-1] + "8",
        # the last grid counts
        f"{PLAIN}\nor\n{chr(10).join(ROWS[1:] + ROWS[:1])}",
        f"{PLAIN}\nor\n{chr(10).join(ROWS[:8])}",
        f"{SPACED}\nor\n{SPACED.replace('1', '-1')}",
    ],
)
def test_all_else_is_wrong(grid):
    assert not accepts(grid)


@pytest.mark.parametrize(
    ("puzzle", "grid", "right"),
    [
        ("1...............", "1234\n3412\n2143\n4321", True),
        ("1...............", "1243\n4312\n2134\n3421", True),
        ("1...............", "1234\n2143\n3412\n4321", False),
        ("1...............", "1234\n3412\n2143\n4325", False),
        ("1...............", "1 2 | 3 4\n3 4 | 1 2\n----+----\n2 1 | 4 3\n4 3 | 2 1", True),
        (["1...", "....", "....", "...."], "1234341221434321", True),
        (["1 0 0 0", "0 0 0 0", "....", "...."], "1234341221434321", True),
        ([[1, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 2]], "1234\n3412\n2143\n4321", False),
        ("1...\n....\n....\n...1", "1234\n3412\n2143\n4321", True),
        ("1" + "." * 35, "123456\n456123\n231564\n564231\n312645\n645312", True),
        ("1" + "." * 35, "123456\n231564\n312645\n456123\n564231\n645312", False),
    ],
)
def test_other_sizes_and_several_solutions(puzzle, grid, right):
    assert accepts(grid, puzzle) == right


def solved(size):
    """A grid made by shifting: values from 1."""
    height, width = BOXES[size]
    return [
        [(row % height * width + row // height + column) % size + 1 for column in range(size)] for row in range(size)
    ]


@pytest.mark.parametrize(
    "write", [str, lambda value: "0123456789ABCDEFG"[value], lambda value: "0123456789abcdefg"[value]]
)
def test_sixteen_by_sixteen_in_numbers_and_letters(write):
    grid = solved(16)
    puzzle = [
        [value if (row + column) % 3 else 0 for column, value in enumerate(line)] for row, line in enumerate(grid)
    ]
    spaced = "\n".join(" ".join(map(write, line)) for line in grid)
    assert accepts(spaced, puzzle)
    assert accepts(spaced, "".join("0123456789ABCDEFG"[value] for line in puzzle for value in line))
    assert not accepts(spaced.replace(write(16), write(15)), puzzle)
    if write is not str:
        assert accepts(spaced.replace(" ", ""), puzzle)
        assert accepts(spaced.replace(" ", "").replace("\n", ""), puzzle)


@pytest.mark.parametrize(
    ("completion", "right", "format_"),
    [
        (f"<think>\n{PLAIN}\n</think>", False, 0.0),
        (f"<think>\n{PLAIN}", False, 0.0),
        (f"<think>hm</think>\n{PLAIN}\n<|im_end|>", True, 0.0),
        (f"<answer>\n```\n{PLAIN}\n```\n</answer>", True, 1.0),
        (f"<answer></answer>\n{PLAIN}", False, 0.0),
        (f"```python\ndef solve(): return 1\n```\n```text\n{PLAIN}\n```", True, 1.0),
        (f"```\n{PLAIN}\n```\n```python\nprint(1)\n```", True, 1.0),
        (f"```\n{PLAIN}\n```\n```\n{PLAIN[:-1]}\n```", False, 1.0),
        (f"```\n{PLAIN}", True, 1.0),
    ],
)
def test_where_the_grid_stands(completion, right, format_):
    verdict = judge(completion)
    assert (verdict.reward == 1.0, verdict.parts) == (right, {"format": format_})


def test_plain_grids_count_only_where_they_may():
    assert judge(PLAIN, anywhere=False).reward == 0.0
    assert judge(f"```\n{PLAIN}\n```", anywhere=False).reward == 1.0
    assert judge(f"```\n{PLAIN}\n```", forms=["tag"]).parts == {"format": 0.0}
    assert judge(f"#### {SOLUTION}", forms=["hash"], anywhere=False).reward == 1.0
    with pytest.raises(UserError, match="forms must be"):
        SudokuVerifier(forms=["grid"])


@pytest.mark.parametrize(
    ("reference", "message"),
    [
        ({}, "'puzzle'"),
        *(
            ({"puzzle": puzzle}, "'puzzle'")
            for puzzle in (5, "", [], {}, PUZZLE[:80], PUZZLE + "0", "x" * 81, "5" + "0" * 15)
        ),
        *(({"puzzle": puzzle}, "'puzzle'") for puzzle in (["12", "21"], ["1234"] * 3, [[0] * 4] * 3 + [[0] * 3])),
        *(({"puzzle": [[cell, 0, 0, 0], *[[0] * 4] * 3]}, "'puzzle'") for cell in (5, -1, True, 1.0, "1")),
        ({"puzzle": "55" + PUZZLE[2:]}, "row 1 holds 5 twice"),
        ({"puzzle": "1..." + "1" + "." * 11}, "column 1 holds 1 twice"),
        ({"puzzle": "1..." + ".1.." + "." * 8}, "box 1 holds 1 twice"),
        ({"puzzle": PUZZLE, "size": 16}, "'size'"),
    ],
)
def test_a_broken_reference_is_refused(reference, message):
    with pytest.raises(UserError, match=f"sudoku: .*{message}"):
        SudokuVerifier().check_reference(reference)


@pytest.mark.parametrize(
    "text",
    [
        *("9" * 100_000, "9 " * 50_000, "1\n" * 50_000, "```" * 30_000, "```a" * 25_000, "```\n" * 25_000),
        *("|" * 100_000,),
        *("\\" * 100_000, "\\begin{" * 14_000, "\\begin{aaa}{" + "c" * 100_000, "[" * 100_000, "\\hline" * 17_000),
        *("." * 100_000,),
        *("-" * 100_000 + "x", "[" + " " * 100_000 + "x", "1" + "-" * 100_000, "1" * 50_000 + "x"),
        *((SOLUTION + "\n") * 1_200,),
    ],
    ids=lambda text: ascii(text[:12]),
)
def test_any_size_is_judged_at_once(text):
    started = time.process_time()
    for completion in (text, f"<answer>{text}</answer>", f"\\boxed{{{text}}}"):
        verdict = judge(completion)
        assert verdict.reward == 0.0
        assert "\n" not in verdict.detail
        assert len(verdict.detail) < 400
    assert time.process_time() - started < 3.0


PIECES = st.sampled_from(
    [*ROWS, SOLUTION, SPACED, *"0123456789|+-., \n[]", "```\n", "<answer>", "</answer>", "\\\\", "text"]
)


@settings(max_examples=300, deadline=None)
@given(
    text=st.one_of(st.text(max_size=100), st.lists(PIECES, max_size=20).map("\n".join), st.lists(PIECES).map("".join))
)
def test_any_text_gets_a_verdict_and_always_the_same(text):
    for completion in (text, f"<answer>{text}</answer>"):
        verdict = judge(completion)
        assert verdict.reward in (0.0, 1.0)
        assert set(verdict.parts) == {"format"}
        assert judge(completion) == verdict


@settings(max_examples=100, deadline=None)
@given(size=st.sampled_from([4, 6, 9]), data=st.data())
def test_any_solution_of_any_puzzle_is_right_and_any_change_is_wrong(size, data):
    numbers = data.draw(st.permutations(range(1, size + 1)))
    height, _ = BOXES[size]
    bands = data.draw(st.permutations(range(size // height)))
    grid = [[numbers[value - 1] for value in line] for line in solved(size)]
    grid = [grid[band * height + i] for band in bands for i in data.draw(st.permutations(range(height)))]
    clues = data.draw(st.lists(st.booleans(), min_size=size * size, max_size=size * size))
    puzzle = [
        [value * clues[row * size + column] for column, value in enumerate(line)] for row, line in enumerate(grid)
    ]
    written = "\n".join(" ".join(map(str, line)) for line in grid)
    assert accepts(written, puzzle)
    row, column = data.draw(st.tuples(*[st.integers(0, size - 1)] * 2))
    grid[row][column] = grid[row][column] % size + 1
    assert not accepts("\n".join(" ".join(map(str, line)) for line in grid), puzzle)
    other = "\n".join(" ".join(str(numbers[numbers.index(value) - 1]) for value in line) for line in grid)
    assert not accepts(other, puzzle)
