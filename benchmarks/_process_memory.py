"""Memory of this process, and figures of work that is done in a process of its own."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

STATUS = Path("/proc/self/status")


def resident_bytes() -> int:
    """What this process holds now."""
    return _field("VmRSS")


def peak_bytes() -> int:
    """The most that it has held. `getrusage` says more: its peak begins with that of the process that started this."""
    return _field("VmHWM")


class OutOfMemoryError(Exception):
    """The kernel ended a case for the memory that it took."""


def in_fresh_process(script: Path, **options: Any) -> dict[str, Any]:  # noqa: ANN401 - whatever the script takes
    """Run `script` with the options as JSON; it prints its figures as JSON in its last line.

    Raises:
        OutOfMemoryError: where it was killed.
    """
    # Where memory runs out this is what has to go.
    command = ["choom", "-n", "1000", "--", sys.executable, str(script), json.dumps(options)]
    ended = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    if ended.returncode == -signal.SIGKILL:
        raise OutOfMemoryError
    ended.check_returncode()
    figures: dict[str, Any] = json.loads(ended.stdout.splitlines()[-1])
    return figures


def table(rows: Mapping[str, Mapping[str, Any]], columns: Mapping[str, str]) -> str:
    """Rows by name, for a person; `columns` maps keys to headings."""
    width = max(map(len, rows))
    lines = [" " * width + "".join(f"{heading:>18}" for heading in columns.values())]
    for name, row in rows.items():
        lines.append(f"{name:<{width}}" + "".join(f"{row[key]:>18}" for key in columns))
    return "\n".join(lines)


def _field(name: str) -> int:
    found = re.search(rf"{name}:\s+(\d+) kB", STATUS.read_text(encoding="ascii"))
    assert found is not None, f"{STATUS} has no {name}"
    return int(found[1]) * 1024
