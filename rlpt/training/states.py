"""What a checkpoint keeps besides weights, read without torch."""

from __future__ import annotations

import json
from typing import Any

from rlpt.errors import UserError
from rlpt.run_dir import RunDir

STATE = "state.json"


def newest_state(run: RunDir) -> dict[str, Any] | None:
    """The state of the newest checkpoint, or None where there is none yet. Raises UserError where it is damaged."""
    steps = run.checkpoint_steps()
    return read_state(run, steps[-1]) if steps else None


def read_state(run: RunDir, step: int) -> dict[str, Any]:
    """The state of the checkpoint of `step`. Raises UserError where it is damaged."""
    path = run.checkpoint(step) / STATE
    try:
        state: dict[str, Any] = json.loads(path.read_text())
    except (OSError, ValueError) as error:
        raise UserError(
            f"The checkpoint {path.parent} is damaged ({error}); remove it to go on from the one before."
        ) from None
    return state
