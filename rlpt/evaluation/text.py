"""Model text for a terminal: shown as it is, but unable to control the terminal."""

from __future__ import annotations

import sys
import unicodedata
from typing import IO

# Cc: control characters (escape sequences); Cf: invisible ones that reorder or hide text; Cs: lone surrogates, which
# cannot be encoded; Zl, Zp: line breaks that terminals and readers disagree on; Co, Cn: no meaning anywhere.
_ESCAPED = {"Cc", "Cf", "Cs", "Zl", "Zp", "Co", "Cn"}
_KEPT = {"\n", "\t"}
# Zero-width joiners hold emoji and several scripts together and move nothing.
_JOINERS = {"\u200c", "\u200d"}


def visible(text: str) -> str:
    r"""`text` with everything that a terminal could obey, or a reader not see, written as an escape such as `\x1b`."""
    return "".join(_escape(char) for char in text)


def emit(text: str, stream: IO[str] | None = None) -> None:
    """Print `text`, with an escape for what the stream's encoding lacks (`LANG=C`)."""
    out = stream or sys.stdout
    encoding = getattr(out, "encoding", None) or "utf-8"
    print(text.encode(encoding, "backslashreplace").decode(encoding), file=out, flush=True)


def _escape(char: str) -> str:
    if char in _KEPT or char in _JOINERS or unicodedata.category(char) not in _ESCAPED:
        return char
    return char.encode("unicode_escape", "surrogatepass").decode("ascii")
