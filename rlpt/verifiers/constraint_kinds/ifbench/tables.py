"""The IFBench kinds `custom:csv_`, which ask for a table as text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from rlpt.verifiers.constraint_kinds.answer import Answer

FENCED = re.compile(r"```[\w-]*\n(.*)\n```", flags=re.DOTALL)
NUMBER = re.compile(r"[\d.,]+")
CITY_COLUMNS = ("ID", "Country", "City", "Year", "Count")
PRODUCT_COLUMNS = ("ProductID", "Category", "Brand", "Price", "Stock")
GRADE_COLUMNS = ("StudentID", "Subject", "Grade", "Semester", "Score")


@dataclass(frozen=True, slots=True)
class Field:
    """One field of a row: its text without enclosing quotes, and whether it had them."""

    text: str
    quoted: bool


@dataclass(frozen=True, slots=True)
class CityTable:
    """Seven rows of comma-separated values under the columns of `CITY_COLUMNS`.

    The reference accepts rows of empty fields.
    """

    def failure(self, answer: Answer) -> str | None:
        """A code fence around the whole is looked past."""
        return _misfit(_read(answer.text, ","), CITY_COLUMNS, rows=7)


@dataclass(frozen=True, slots=True)
class ProductTable:
    """Fourteen rows under `PRODUCT_COLUMNS`, one of them with a field in double quotes that has a special character.

    The reference looks at no row behind the first such field. A number's point is no special character.
    """

    def failure(self, answer: Answer) -> str | None:
        """Special: neither a letter, a digit nor white space."""
        rows = _read(answer.text, ",")
        special = any(field.quoted and _is_special(field.text) for row in (rows or [])[1:] for field in row)
        misfit = _misfit(rows, PRODUCT_COLUMNS, rows=14)
        return misfit or (None if special else "no quoted field with a special character")


@dataclass(frozen=True, slots=True)
class GradeTable:
    """Three rows of tab-separated values under `GRADE_COLUMNS`, every field in double quotes, the column names too."""

    def failure(self, answer: Answer) -> str | None:
        """Spaces between a tab and a quote are looked past."""
        rows = _read(answer.text, "\t")
        bare = next((field.text for row in rows or [] for field in row if not field.quoted), None)
        return _misfit(rows, GRADE_COLUMNS, rows=3) or (None if bare is None else f'"{bare[:30]}" is not in quotes')


def _misfit(table: list[list[Field]] | None, columns: Sequence[str], rows: int) -> str | None:
    if table is None:
        return "a quote that is never closed or stands inside a field"
    if not table or [field.text for field in table[0]] != list(columns):
        return f"the first line is not {', '.join(columns)}"
    if len(table) != rows + 1:
        return f"{len(table) - 1} rows, not {rows}"
    for number, row in enumerate(table[1:], start=1):
        if len(row) != len(columns) or not all(field.text for field in row):
            return f"row {number} has not {len(columns)} filled fields"
    return None


def _read(text: str, delimiter: str) -> list[list[Field]] | None:
    """Rows of fields by RFC 4180, or None where a quote is out of place. An empty line is a row of one empty field.

    The standard library's reader does not say which fields were quoted.
    """
    fenced = FENCED.fullmatch(text)
    # Possessive quantifiers: nothing is tried twice.
    rest = re.compile(rf'[ ]*+(?:"((?:[^"]|"")*+)"[ ]*+|([^"\n{delimiter}]*+))({delimiter}|\n|\Z)')
    text = fenced.group(1) if fenced else text
    rows: list[list[Field]] = [[]]
    at = 0
    while match := rest.match(text, at):
        quoted, bare, end = match.groups()
        rows[-1].append(Field(quoted.replace('""', '"').strip(), True) if bare is None else Field(bare.strip(), False))
        if end == "":
            return rows
        if end == "\n":
            rows.append([])
        at = match.end()
    return None


def _is_special(text: str) -> bool:
    return not NUMBER.fullmatch(text) and any(not (c.isalnum() or c.isspace()) for c in text)
