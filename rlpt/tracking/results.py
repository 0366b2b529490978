"""The results of an evaluation as a Parquet file, one row for each sample: readable by pandas, Polars, DuckDB, ..."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rlpt.errors import UserError
from rlpt.tracking.files import atomic_file

if TYPE_CHECKING:
    import pyarrow

TEXTS = ("domain", "task_id", "prompt", "text", "status", "detail", "finish_reason", "answer")
ESCAPED = "escaped"
"""The column with the names of the texts that are written as JSON, since they hold what Parquet's texts cannot: halves
of surrogate pairs."""


def write_results(path: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    """Write samples as `rlpt.evaluation.sample.Sample.to_json` gives them, whole or not at all.

    Raises UserError where the disk is full or the folder may not be written.
    """
    import pyarrow
    import pyarrow.parquet

    table = pyarrow.Table.from_pylist([_flat(row) for row in rows], schema=_schema())
    with atomic_file(path) as file:
        pyarrow.parquet.write_table(table, file, compression="zstd", write_page_checksum=True)


def read_results(path: Path) -> list[dict[str, Any]]:
    """The rows of a file that `write_results` wrote. Raises UserError where it is absent or damaged."""
    import pyarrow
    import pyarrow.parquet

    if not path.is_file():
        raise UserError(f"{path} does not exist.")
    try:
        table = pyarrow.parquet.read_table(path, page_checksum_verification=True, partitioning=None)
        return [_row(flat) for flat in table.select(_schema().names).to_pylist()]
    except (pyarrow.ArrowException, OSError, ValueError, KeyError) as error:
        raise UserError(f"{path} is damaged ({_first_line(error)}); delete it and go on without it.") from error


def _schema() -> pyarrow.Schema:
    import pyarrow

    text = pyarrow.string()
    types = {
        "domain": text,
        "task_id": text,
        "index": pyarrow.int32(),
        "prompt": text,
        "text": text,
        "reward": pyarrow.float64(),
        "status": text,
        "detail": text,
        "parts": pyarrow.map_(text, pyarrow.float64()),
        "tokens": pyarrow.int32(),
        "finish_reason": text,
        "answer": text,
        "messages": text,
        ESCAPED: pyarrow.list_(text),
    }
    return pyarrow.schema(list(types.items()))


def _flat(row: Mapping[str, Any]) -> dict[str, Any]:
    """The row in the types of the schema."""
    escaped = [name for name in TEXTS if row.get(name) is not None and not _is_unicode(row[name])]
    messages = row.get("messages")
    return {
        **row,
        **{name: json.dumps(row[name]) for name in escaped},
        "parts": list(row.get("parts", {}).items()),
        "messages": json.dumps([dict(message) for message in messages]) if messages else None,
        ESCAPED: escaped,
    }


def _row(flat: Mapping[str, Any]) -> dict[str, Any]:
    row = {**flat, "parts": dict(flat["parts"]), **{name: json.loads(flat[name]) for name in flat[ESCAPED]}}
    messages = row.pop("messages")
    del row[ESCAPED]
    return row | {"messages": json.loads(messages)} if messages else row


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _first_line(error: Exception) -> str:
    return str(error).splitlines()[0] if str(error) else type(error).__name__
