"""Schema of the verifier `sudoku`."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from omegaconf import MISSING


class GridForm(Enum):
    r"""How a grid is marked: in `\boxed{}`, in `<answer>` tags, in a fenced block, or as one line behind `####`."""

    boxed = "boxed"
    tag = "tag"
    fence = "fence"
    hash = "hash"


@dataclass
class Sudoku:
    """Arguments of `rlpt.verifiers.sudoku.SudokuVerifier`."""

    _target_: str = MISSING
    forms: list[GridForm] = MISSING
    anywhere: bool = MISSING


SCHEMAS: dict[str, type] = {"sudoku_verifier_schema": Sudoku}
