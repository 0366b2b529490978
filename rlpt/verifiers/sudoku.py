r"""The verifier `sudoku`: a filled grid that keeps the clues and has every number once in each row, column and box.

`Task.reference = {"puzzle": "53..7....6..195..."}`: row after row, `0` or `.` for an empty cell; or a list of rows,
each a text or a list of numbers. Sizes: 4, 6 (boxes of 2 rows and 3 columns), 9 and 16 (in texts `A` to `G` are 10 to
16). Any grid that fits is right, also where a puzzle has several.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rlpt.errors import UserError
from rlpt.records import Task, Verdict
from rlpt.verifiers.answers import FORMS, response
from rlpt.verifiers.asked import asked_for, shown
from rlpt.verifiers.grids import fenced, last_grid, read_row

BOXES = {4: (2, 2), 6: (2, 3), 9: (3, 3), 16: (4, 4)}
"""Rows and columns of a box, by the size of a grid."""

GRID_FORMS = {**FORMS, "fence": fenced}
Grid = Sequence[Sequence[int]]


class SudokuVerifier:
    r"""Reward 1.0 where the last grid of the answer completes the puzzle.

    `forms`: where the grid stands, tried in this order: `boxed`, `tag` (`<answer>`), `fence` (a fenced block) or `hash`
    (one line behind `####`). `anywhere`: whether the last grid of a response counts that has none of them.
    """

    def __init__(self, forms: Sequence[str] = ("boxed", "tag", "fence"), anywhere: bool = True) -> None:
        if isinstance(forms, str) or not forms or not set(forms) <= set(GRID_FORMS):
            raise UserError(f"sudoku: forms must be a list of {', '.join(sorted(GRID_FORMS))}; got {forms!r}.")
        self.forms = tuple(forms)
        self.anywhere = anywhere

    def verify(self, task: Task, completion: str) -> Verdict:
        """Judge a completion. Raises UserError for a reference that is no puzzle."""
        puzzle = _puzzle(task.reference)
        text = response(completion)
        found = asked_for(text, self.forms, GRID_FORMS)
        parts = {"format": 1.0 if found else 0.0}
        if found is None and self.anywhere:
            found = text
        grid = last_grid(found, len(puzzle)) if found else None
        if not found or grid is None:
            return Verdict(0.0, "wrong", f"no grid found in {shown(found)}" if found else "no answer found", parts)
        problem = _problem(puzzle, grid)
        if problem:
            return Verdict(0.0, "wrong", problem, parts)
        return Verdict(1.0, "correct", "answered a grid that completes the puzzle", parts)

    def check_reference(self, reference: Mapping[str, Any]) -> None:
        """Raise UserError for a puzzle of a wrong size, with foreign symbols, or whose clues contradict each other.

        Whether it can be solved is not looked for.
        """
        _puzzle(reference)


def _problem(puzzle: Grid, grid: Grid) -> str:
    """What is wrong with a grid, as a sentence; empty where nothing is."""
    size = len(puzzle)
    if len(grid) != size:
        return f"the grid has {len(grid)} rows, not {size}"
    for number, row in enumerate(grid, 1):
        if len(row) != size or not all(1 <= value <= size for value in row):
            return f"row {number} does not hold {size} numbers from 1 to {size}"
    for name, cells in _units(size):
        repeated = _repeated(grid, cells)
        if repeated:
            return f"{name} holds {repeated} more than once"
    for number, (clues, row) in enumerate(zip(puzzle, grid, strict=True), 1):
        for column, (clue, value) in enumerate(zip(clues, row, strict=True), 1):
            if clue not in (0, value):
                return f"row {number}, column {column} holds {value}, its clue is {clue}"
    return ""


def _units(size: int) -> Iterator[tuple[str, list[tuple[int, int]]]]:
    """Every row, column and box: its name and its cells as (row, column)."""
    height, width = BOXES[size]
    for i in range(size):
        yield f"row {i + 1}", [(i, k) for k in range(size)]
        yield f"column {i + 1}", [(k, i) for k in range(size)]
        top, left = i // (size // width) * height, i % (size // width) * width
        yield f"box {i + 1}", [(top + k // width, left + k % width) for k in range(size)]


def _repeated(grid: Grid, cells: Sequence[tuple[int, int]]) -> int:
    """A number that stands in several of the cells; 0 where none does."""
    values = [grid[row][column] for row, column in cells if grid[row][column]]
    return next((value for value in values if values.count(value) > 1), 0)


def _puzzle(reference: Mapping[str, Any]) -> Grid:
    """The rows of a reference's puzzle, empty cells as 0."""
    given = reference.get("puzzle")
    rows = _rows(given)
    sizes = ", ".join(map(str, BOXES))
    if rows is None or len(rows) not in BOXES or any(len(row) != len(rows) for row in rows):
        raise UserError(
            f"sudoku: a reference needs a field 'puzzle', rows and columns of numbers, 0 or . for an empty cell, in "
            f"one of the sizes {sizes}; got {shown(repr(given))}."
        )
    size = len(rows)
    if reference.get("size", size) != size:
        raise UserError(f"sudoku: a reference's field 'size' is {reference['size']!r}, its puzzle has {size} rows.")
    for name, cells in _units(size):
        repeated = _repeated(rows, cells)
        if repeated:
            raise UserError(f"sudoku: the clues of a reference's puzzle contradict: {name} holds {repeated} twice.")
    return rows


def _rows(given: object) -> list[list[int]] | None:
    """The cells of a puzzle; None where they are no numbers of its size."""
    if isinstance(given, str):
        lines = given.split()
        if len(lines) != 1:
            return _rows(lines)
        size = next((size for size in BOXES if size * size == len(given.strip())), 1)
        return _rows([lines[0][start : start + size] for start in range(0, len(lines[0]), size)])
    if not isinstance(given, Sequence) or len(given) not in BOXES:
        return None
    rows = [_cells(row, len(given)) for row in given]
    return None if any(row is None for row in rows) else [row for row in rows if row is not None]


def _cells(row: object, size: int) -> list[int] | None:
    if isinstance(row, str):
        return read_row(row.split(), size)
    if not isinstance(row, Sequence):
        return None
    cells = [0 if cell in (".", None) else cell for cell in row]
    if any(isinstance(cell, bool) or not isinstance(cell, int) or not 0 <= cell <= size for cell in cells):
        return None
    return list(cells)
