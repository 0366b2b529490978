"""The supervisor's end of the line to the client."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from typing import Any

INPUT, OUTPUT = 0, 1
_CHUNK = 2**20


def read_exactly(size: int) -> bytes:
    """Read `size` bytes from the client. When the client has gone, this process ends and the sandbox with it."""
    parts = []
    while size:
        part = os.read(INPUT, min(size, _CHUNK))
        if not part:
            os._exit(0)
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


def read_json() -> dict[str, Any]:
    """Read a message: four bytes of length, big-endian, and JSON."""
    message: dict[str, Any] = json.loads(read_exactly(int.from_bytes(read_exactly(4), "big")))
    return message


def reply(header: dict[str, Any], contents: Sequence[memoryview] = ()) -> None:
    """Write a message and, behind it, the contents whose sizes it names."""
    text = json.dumps(header).encode()
    for part in (memoryview(len(text).to_bytes(4, "big") + text), *contents):
        write_all(OUTPUT, part)


def write_all(descriptor: int, content: memoryview | bytes) -> None:
    """Write all of it, in as many pieces as it takes."""
    rest = memoryview(content)
    while rest:
        rest = rest[os.write(descriptor, rest) :]
