"""What TensorBoard shows as text, which it reads as Markdown. Pure."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

from rlpt.tracking.protocol import Row


def rows_as_markdown(rows: Sequence[Row]) -> str:
    """One entry for each row, its columns below each other; the domain is left out."""
    return "\n\n---\n\n".join(_entry({name: value for name, value in row.items() if name != "domain"}) for row in rows)


def as_code(text: str) -> str:
    """Text that is shown as it is written, whatever it holds."""
    return safe(textwrap.indent(text or " ", "    ", lambda line: True))


def safe(text: str) -> str:
    """With what cannot be encoded, such as half a character of a model's bytes, written out."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def flat(config: Mapping[str, Any], prefix: str = "") -> dict[str, bool | int | float | str]:
    """The values of a nested config by dotted key; what is no number or truth value as text."""
    found: dict[str, bool | int | float | str] = {}
    for key, value in config.items():
        name = f"{prefix}{key}"
        if isinstance(value, Mapping):
            found |= flat(value, f"{name}.")
        else:
            found[name] = value if isinstance(value, bool | int | float) else safe(str(value))
    return found


def _entry(row: Row) -> str:
    short = [f"{name}: `{value}`" for name, value in row.items() if not isinstance(value, str)]
    long = [f"**{name}**\n\n{as_code(value)}" for name, value in row.items() if isinstance(value, str)]
    return "\n\n".join([*([", ".join(short)] if short else []), *long])
