"""Messages within a sandbox: with the client, and with a program that is written piece by piece."""

from __future__ import annotations

import json
import mmap
import os
from collections.abc import Sequence
from typing import Any

INPUT, OUTPUT = 0, 1
DECODER = json.JSONDecoder()

_CHUNK = 2**20
_MOST_PARTS = 64


def read_exactly(size: int, descriptor: int = INPUT) -> bytes:
    """Read `size` bytes. When the other end has gone, this process ends; the supervisor's end is the sandbox's."""
    parts = []
    while size:
        part = os.read(descriptor, min(size, _CHUNK))
        if not part:
            os._exit(0)
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


def read_pages(size: int) -> memoryview:
    """Read `size` bytes from the client into pages that no child inherits: programs to come may not find them."""
    pages = mmap.mmap(-1, max(size, 1), flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    pages.madvise(mmap.MADV_DONTFORK)
    content = memoryview(pages)[:size]
    done = 0
    while done < size:
        count = os.readv(INPUT, [content[done:]])
        if not count:
            os._exit(0)
        done += count
    return content


def read_json(descriptor: int = INPUT) -> dict[str, Any]:
    """Read a message: four bytes of length, big-endian, and JSON."""
    size = int.from_bytes(read_exactly(4, descriptor), "big")
    message: dict[str, Any] = DECODER.raw_decode(read_exactly(size, descriptor).decode())[0]
    return message


def read_message(descriptor: int = INPUT) -> tuple[dict[str, Any], list[bytes]]:
    """Read a message and the contents behind it, whose sizes it names."""
    message = read_json(descriptor)
    return message, [read_exactly(size, descriptor) for size in message["sizes"]]


def reply(header: dict[str, Any], contents: Sequence[memoryview | bytes] = ()) -> None:
    """Write a message and, behind it, the contents whose sizes it names."""
    text = json.dumps(header).encode()
    parts = [memoryview(part) for part in (len(text).to_bytes(4, "big") + text, *contents) if len(part)]
    while parts:  # together: whoever passes it on has work with each piece
        written = os.writev(OUTPUT, parts[:_MOST_PARTS])
        while parts and written >= len(parts[0]):
            written -= len(parts.pop(0))
        if written:
            parts[0] = parts[0][written:]


def write_all(descriptor: int, content: memoryview | bytes) -> None:
    """Write all of it, in as many pieces as it takes."""
    rest = memoryview(content)
    while rest:
        rest = rest[os.write(descriptor, rest) :]
