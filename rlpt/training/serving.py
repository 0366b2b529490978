"""Does the exported policy serve as it was trained?"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rlpt.actors import Actors
from rlpt.records import Task


class ExportError(RuntimeError):
    """The exported folder answers otherwise than the policy that was trained."""


def verify_export(actors: Actors, tasks: Sequence[Task], folder: Path, version: int) -> None:
    """Load the exported weights into the engine and compare its answers with those before, token by token.

    The seed is the same, so the same weights give the same tokens.

    Raises:
        ExportError: where they do not.
    """
    named = [(f"serving/{task.domain}", task) for task in tasks]
    trained = _tokens(actors, named)
    actors.sampler.load(folder / "model.safetensors", version)
    if _tokens(actors, named) != trained:
        raise ExportError(f"the engine answers otherwise from {folder} than from the trained policy")


def _tokens(actors: Actors, named: Sequence[tuple[str, Task]]) -> list[Sequence[int]]:
    groups = actors.roll_out(named, samples_per_task=2, seed=0, first_turns_only=True)
    return [rollout.token_ids for group in groups for rollout in group.rollouts]
