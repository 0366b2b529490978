"""What an audit found as a file: JSON lines, in order."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rlpt.errors import UserError


def check_writable(file: Path, cases: Path | None = None) -> None:
    """Refuse, before anything is judged, a file that could not be written afterwards or holds the cases themselves.

    Raises:
        UserError: saying why.
    """
    if not file.parent.is_dir():
        raise UserError(f"out={file} cannot be written: there is no folder {file.parent}; make it or name another.")
    if file.is_dir():
        raise UserError(f"out={file} is a folder; name a file in it.")
    if cases is not None and file.exists() and file.samefile(cases):
        raise UserError(f"out={file} is the file of the cases, which would be lost; name another.")
    if not os.access(file if file.exists() else file.parent, os.W_OK):
        raise UserError(f"out={file} cannot be written (no permission); name another file.")


def write_rows(file: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    """Write plain values, a line each; what the file held before is gone.

    Raises:
        UserError: where it cannot be written.
    """
    try:
        file.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    except OSError as error:
        raise UserError(f"out={file} cannot be written ({error.strerror}); name another file.") from error
