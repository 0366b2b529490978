"""metrics.jsonl: one JSON object for each step, each step once, whatever kills the process."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rlpt.errors import UserError
from rlpt.tracking.files import atomic_file, write_error

STEP = "rl/step"


class MetricsLog:
    """Appends to metrics.jsonl.

    A second call for the last step adds to its line. Every call is one write to the end of the file followed by
    fsync, so that a kill between two calls loses nothing. Numbers that are not finite are written as null: the file
    stays readable by every JSON reader.
    """

    def __init__(self, path: Path, keep_to_step: int | None = None) -> None:
        """Open `path` for appending; with `keep_to_step`, drop the lines of later steps first (resume)."""
        self._path = path
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            kept = _complete_lines(path)
            if keep_to_step is not None:
                kept = [line for line in kept if _parse(path, line)[STEP] <= keep_to_step]
            content = b"".join(kept)
            if not path.exists() or path.stat().st_size != len(content):
                with atomic_file(path) as file:
                    file.write(content)
            self._descriptor = os.open(path, os.O_RDWR | os.O_CLOEXEC)
        except OSError as error:
            raise write_error(path, error) from error
        self._last = _parse(path, kept[-1]) if kept else {STEP: -1}
        self._start = len(content) - (len(kept[-1]) if kept else 0)
        self._end = len(content)

    @property
    def last_step(self) -> int:
        """The step of the last line; -1 for an empty file."""
        return int(self._last[STEP])

    def log(self, step: int, metrics: Mapping[str, float]) -> None:
        """Record `metrics` of `step`. Raises ValueError for a step before the last, UserError where writing fails."""
        if step < self.last_step:
            raise ValueError(f"metrics of step {step} after those of step {self.last_step}; steps never go back")
        same = step == self.last_step
        row = {**(self._last if same else {STEP: step}), **{name: _number(value) for name, value in metrics.items()}}
        row[STEP] = step
        start = self._start if same else self._end
        line = (json.dumps(row, allow_nan=False) + "\n").encode()
        self._write(line, start)
        self._last, self._start, self._end = row, start, start + len(line)

    def close(self) -> None:
        """Close the file. Calling it twice is allowed."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def _write(self, line: bytes, start: int) -> None:
        try:
            before = os.pread(self._descriptor, self._end - start, start)
            try:
                if os.pwrite(self._descriptor, line, start) != len(line):
                    raise OSError(0, "No space left on device")
                os.ftruncate(self._descriptor, start + len(line))
                os.fsync(self._descriptor)
            except OSError:
                os.ftruncate(self._descriptor, self._end)
                os.pwrite(self._descriptor, before, start)
                raise
        except OSError as error:
            raise write_error(self._path, error) from error


def read_metrics(path: Path) -> list[dict[str, Any]]:
    """The rows of metrics.jsonl, in order; a last line that was only half written is left out.

    Raises UserError where the file is absent or a line in the middle is damaged.
    """
    if not path.is_file():
        raise UserError(f"{path} does not exist; the run has not finished a step yet.")
    return [_parse(path, line) for line in _complete_lines(path)]


def _complete_lines(path: Path) -> list[bytes]:
    """Lines with their newline. Of a file whose end a crash cut or filled with zeros, what came before."""
    if not path.exists():
        return []
    lines = path.read_bytes().split(b"\n")[:-1]
    if lines and not _is_object(lines[-1]):
        lines.pop()
    return [line + b"\n" for line in lines]


def _is_object(line: bytes) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except ValueError:
        return False


def _parse(path: Path, line: bytes) -> dict[str, Any]:
    try:
        row = json.loads(line)
        row[STEP] = int(row[STEP])
    except (ValueError, TypeError, KeyError) as error:
        raise UserError(f"{path} holds a line that is no object with {STEP}: {line[:60]!r}; remove it.") from error
    assert isinstance(row, dict)
    return row


def _number(value: float) -> float | int | None:
    if isinstance(value, int):
        return int(value)
    number = float(value)
    return number if math.isfinite(number) else None
