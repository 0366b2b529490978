"""The files that a report is written to."""

from __future__ import annotations

import uuid
from pathlib import Path

from rlpt.errors import UserError


def write_whole(option: str, file: Path, text: str) -> None:
    """Write `text`, whole or not at all. `option` is how the user named the file, such as `html`.

    Raises UserError where it cannot be written.
    """
    scratch = file.with_name(f".{uuid.uuid4().hex}")
    try:
        if not file.parent.is_dir():
            raise UserError(
                f"{option}={file} cannot be written: there is no folder {file.parent}; make it or name another."
            )
        if file.is_dir():
            raise UserError(f"{option}={file} is a folder; name a file in it.")
        try:
            scratch.write_text(text, encoding="utf-8")
            scratch.replace(file)
        finally:
            scratch.unlink(missing_ok=True)
    except OSError as error:
        raise UserError(f"{option}={file} cannot be written ({error.strerror}); name another file.") from error
