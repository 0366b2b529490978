"""Files that are there whole or not at all: JSON, and compressed JSON lines."""

from __future__ import annotations

import json
import os
import uuid
from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from contextlib import contextmanager
from enum import Enum
from pathlib import Path
from typing import IO, Any

import zstandard

from rlpt.errors import UserError

ZSTD_LEVEL = 3
CHUNK_BYTES = 1 << 16


def dump_json(value: object, indent: int | None = None, canonical: bool = False) -> str:
    """JSON text of plain values. Sets become sorted lists, mappings dicts, paths strings, enums values.

    `canonical` sorts keys and leaves spaces out: equal values give equal text. Numbers that are not finite stay as
    Python writes them (`NaN`, `Infinity`), so that nothing is lost.
    """
    separators = (",", ":") if canonical else None
    return json.dumps(
        value, default=_plain, ensure_ascii=False, indent=indent, sort_keys=canonical, separators=separators
    )


def _plain(value: object) -> object:
    if isinstance(value, AbstractSet):
        return sorted(value)
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, Enum):
        return value.value
    raise TypeError(f"{type(value).__name__} cannot be written as JSON: {value!r:.80}")


@contextmanager
def atomic_file(path: Path) -> Iterator[IO[bytes]]:
    """A file to write that appears as `path` at the end of the block, or never.

    Raises UserError where the disk is full or the folder may not be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        # Not tempfile: its files are private to the user, and teams share run directories.
        scratch = path.with_name(f".{path.name}.{uuid.uuid4().hex}")
        try:
            with scratch.open("xb") as file:
                yield file
                file.flush()
                os.fsync(file.fileno())
            scratch.replace(path)
        except BaseException:
            scratch.unlink(missing_ok=True)
            raise
    except OSError as error:
        raise write_error(path, error) from error


def write_error(path: Path, error: OSError) -> UserError:
    """The sentence for a file of the run that cannot be written."""
    return UserError(
        f"{path} cannot be written ({error.strerror or error}); free space or give write permission, "
        "then go on with resume=RUN."
    )


def write_json(path: Path, value: object) -> None:
    """Write `value` as indented JSON, whole or not at all."""
    with atomic_file(path) as file:
        file.write((dump_json(value, indent=2) + "\n").encode("utf-8", "surrogatepass"))


def write_jsonl_zst(path: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    """Write one JSON object a line, compressed, whole or not at all. Rows are taken one at a time."""
    with (
        atomic_file(path) as file,
        zstandard.ZstdCompressor(level=ZSTD_LEVEL, write_checksum=True).stream_writer(file, closefd=False) as out,
    ):
        for row in rows:
            # Model text may hold lone surrogates; they must survive the way to the file and back.
            out.write((dump_json(row) + "\n").encode("utf-8", "surrogatepass"))


def read_jsonl_zst(path: Path) -> Iterator[dict[str, Any]]:
    """The objects of a file that `write_jsonl_zst` wrote, one at a time.

    Raises UserError where the file is absent or damaged.
    """
    if not path.is_file():
        raise UserError(f"{path} does not exist.")
    try:
        rest = b""
        for chunk in _decompressed(path):
            *lines, rest = (rest + chunk).split(b"\n")
            yield from (_object(line) for line in lines)
        if rest:
            raise ValueError("the last line is not whole")
    except (zstandard.ZstdError, ValueError) as error:
        raise UserError(f"{path} is damaged ({error}); delete it and go on without it.") from error


def _decompressed(path: Path) -> Iterator[bytes]:
    # Not a stream reader: at the end of a file that was cut it stops as if all were well.
    decompressor = zstandard.ZstdDecompressor().decompressobj()
    with path.open("rb") as file:
        while chunk := file.read(CHUNK_BYTES):
            yield decompressor.decompress(chunk)
    if not decompressor.eof:
        raise ValueError("the file is cut short")


def _object(line: bytes) -> dict[str, Any]:
    value = json.loads(line.decode("utf-8", "surrogatepass"))
    if not isinstance(value, dict):
        raise ValueError("a line is not a JSON object")
    return value
