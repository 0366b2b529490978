r"""Finds the last grid of digits in a text: rows one below the other, with or without lines between the cells.

A line is a row if it holds digits and separators alone: spaces, `|`, `,`, `[ ]`, `&`, also `+` and `-` where they are
no sign. Empty lines and drawn ones (`---+---`) do not end a grid; any other text does. Linear in the text's length.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

LARGEST = 16
LETTERS = "ABCDEFG"
"""Stand for 10 to 16 in grids of that size."""

_BREAK = re.compile(r"\\begin\{\w{1,20}\*?\}(?:\{[^{}\n]{0,100}\})?|\\end\{\w{1,20}\*?\}|\\\\|\]|\n")
_DRAWING = "|+-│┃║─━═┼╋╬├┤┬┴┌┐└┘╔╗╚╝╠╣╦╩╟╢╤╧╪╫┠┨┯┷┿╂┏┓┗┛┣┫┳┻"
_DRAWN = re.compile(rf"(?:[\s=:,;{{}}\[\]&.*_{re.escape(_DRAWING)}]|\\hline)*")
_SEPARATOR = re.compile(rf"[\s,;{{}}\[\]&{re.escape(_DRAWING)}]+|\\hline(?![A-Za-z])")
_SIGN = re.compile(r"(?<![0-9A-Ga-g])[-+](?=[0-9])")
_DIGITS = re.compile(r"[0-9.]+")
_SYMBOLS = re.compile(r"[0-9.A-Ga-g]+")
_FENCE = re.compile(r"```[^\n`]*\n(.*?)(?:```|\Z)", re.DOTALL)


def fenced(text: str) -> str | None:
    """Return the inside of the last fenced block that has a line of numbers; one that is not closed runs to the end."""
    blocks = [block for block in _FENCE.findall(text) if any(_row(line, LARGEST) is not None for line in _lines(block))]
    return blocks[-1].strip() if blocks else None


def last_grid(text: str, size: int) -> list[list[int]] | None:
    """Return the rows of the last grid, as numbers, empty cells as 0; None where there is none.

    Rows are as many and as long as they stand there, which may be wrong; a row with symbols of no such grid holds -1.
    A single row of `size * size` cells is a whole grid. Above size 9, `A` to `G` are 10 to 16.
    """
    grids: list[list[list[int]]] = [[]]
    for line in _lines(text):
        if _DRAWN.fullmatch(line):
            continue
        row = _row(line, size)
        if row is not None:
            grids[-1].append(row)
        elif grids[-1]:
            grids.append([])
    # a number in the text around it is no grid
    found = [grid for grid in grids if sum(map(len, grid)) >= size]
    if not found:
        return None
    last = found[-1]
    if len(last) == 1 and len(last[0]) == size * size:
        return [last[0][start : start + size] for start in range(0, size * size, size)]
    return last


def _lines(text: str) -> list[str]:
    return _BREAK.split(text.replace("$", " "))


def _row(line: str, size: int) -> list[int] | None:
    """The cells of a line that is a row, each -1 where the row cannot be read; None where the line is text."""
    cells = [cell for cell in _SEPARATOR.split(line) if cell]
    symbols = _SYMBOLS if size > 9 else _DIGITS
    if not all(map(symbols.fullmatch, cells)) or not re.search(r"[0-9]", line):
        return None
    row = None if _SIGN.search(line) else read_row(cells, size)
    return [-1] * len("".join(cells)) if row is None else row


def read_row(cells: Sequence[str], size: int) -> list[int] | None:
    """Read the cells of one row, each a number or several symbols in one word; None where a symbol is none of `size`.

    Up to size 9 every digit is a cell. Above, `size` words are one cell each, and otherwise every symbol is one.
    """
    symbols = list(cells) if size > 9 and len(cells) == size else list("".join(cells))
    values = [_value(symbol, size) for symbol in symbols]
    return None if any(value is None for value in values) else [value for value in values if value is not None]


def _value(symbol: str, size: int) -> int | None:
    if symbol == ".":
        return 0
    if size > 9 and len(symbol) == 1 and symbol.upper() in LETTERS:
        value = 10 + LETTERS.index(symbol.upper())
    elif symbol.isascii() and symbol.isdigit() and len(symbol) <= 2:
        value = int(symbol)
    else:
        return None
    return value if value <= size else None
