"""What a model folder holds, as one digest: equal weights, tokenizer and templates give equal digests."""

from __future__ import annotations

import hashlib
from pathlib import Path

IGNORED = frozenset({".md", ".lock"})


def content_digest(folder: Path) -> str:
    """The SHA-256 of the names and contents of the folder's files: 64 hex digits. Text for readers is left out.

    Links count as what they lead to, so a folder of links to a model equals the model. Raises OSError where a file
    cannot be read.
    """
    digest = hashlib.sha256()
    for path in sorted(folder.iterdir()):
        if path.is_file() and path.suffix not in IGNORED and not path.name.startswith("."):
            with path.open("rb") as file:
                digest.update(f"{path.name} {hashlib.file_digest(file, 'sha256').hexdigest()}\n".encode())
    return digest.hexdigest()
