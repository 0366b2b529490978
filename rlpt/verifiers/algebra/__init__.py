"""Reads mathematical answers and decides whether two are the same, without evaluating any text.

`read` turns the text of one answer into immutable data (`nodes`), `same` compares two of them. The text is cut and
parsed by this package alone; numbers are exact fractions, and only irrational values are computed in floating point.
"""

from rlpt.verifiers.algebra.compare import same
from rlpt.verifiers.algebra.finished import is_finished, is_number
from rlpt.verifiers.algebra.nodes import Answer, Text, UnreadableError
from rlpt.verifiers.algebra.reader import read

__all__ = ["Answer", "Text", "UnreadableError", "is_finished", "is_number", "read", "same"]
