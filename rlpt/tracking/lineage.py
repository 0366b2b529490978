"""lineage.jsonl: what became of a run's policy, one event a line: evaluations, checkpoints, decisions."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from rlpt.errors import UserError
from rlpt.tracking.files import atomic_file, write_error


class Lineage:
    """Appends to `path`. One process of a run holds it (rank 0)."""

    def __init__(self, path: Path, keep_to_step: int | None = None) -> None:
        """With `keep_to_step`, drop the events of later steps first: those steps are about to happen again.

        Raises:
            UserError: where the file cannot be read or written.
        """
        self._path = path
        self.listener: Callable[[Mapping[str, Any]], None] | None = None
        """Is told each event once it is recorded."""
        if keep_to_step is not None and path.is_file():
            kept = [event for event in read_lineage(path) if event["step"] <= keep_to_step]
            try:
                with atomic_file(path) as file:
                    file.writelines(_line(event) for event in kept)
            except OSError as error:
                raise write_error(path, error) from error

    def add(self, step: int, event: str, values: Mapping[str, Any] | None = None) -> None:
        """Record that `event` happened after `step` steps."""
        line = {"step": step, "event": event, **(values or {})}
        try:
            with self._path.open("ab") as file:
                file.write(_line(line))
        except OSError as error:
            raise write_error(self._path, error) from error
        if self.listener is not None:
            self.listener(line)

    def add_once(self, step: int, event: str, values: Mapping[str, Any] | None = None) -> None:
        """Record it unless it is there: a run that was killed between two events goes on with the second."""
        if not any(found["step"] == step for found in self.events(event)):
            self.add(step, event, values)

    def events(self, event: str) -> list[dict[str, Any]]:
        """The events of that kind so far, in order."""
        return [found for found in read_lineage(self._path) if found["event"] == event] if self._path.is_file() else []


def read_lineage(path: Path) -> list[dict[str, Any]]:
    """The events in order. A last line that was cut off by a kill is left out.

    Raises:
        UserError: where the file is absent or damaged.
    """
    try:
        lines = path.read_bytes().split(b"\n")[:-1]
        return [json.loads(line) for line in lines]
    except (OSError, ValueError) as error:
        raise UserError(f"{path} cannot be read ({error}).") from error


def _line(event: Mapping[str, Any]) -> bytes:
    return json.dumps(event).encode() + b"\n"
