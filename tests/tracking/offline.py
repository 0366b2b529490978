"""Reading W&B's offline files."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any


def inspect(folder: Path) -> list[dict[str, Any]]:
    """The records of an offline run, as W&B's own command prints them."""
    command = [sys.executable, "-m", "wandb", "leet", "inspect", "--json", str(folder)]
    environ = {name: value for name, value in os.environ.items() if name != "WANDB_SERVICE"}
    done = subprocess.run(command, capture_output=True, check=True, env=environ)
    return [json.loads(line) for line in done.stdout.splitlines()]


def offline_folders(run: Path) -> list[Path]:
    """W&B's folders of a run's offline parts, the oldest first."""
    return sorted((run / "wandb").glob("offline-run-*"), key=lambda folder: folder.stat().st_ctime_ns)


def history(records: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The rows of a run's steps."""
    return [record["history"]["item"] for record in records if record["type"] == "history"]


def of_type(records: list[dict[str, Any]], kind: str) -> list[dict[str, Any]]:
    """The contents of the records of one type."""
    return [record[kind] for record in records if record["type"] == kind]
