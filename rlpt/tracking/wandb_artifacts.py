"""Artifacts at W&B: small files with their content, weights by their place unless they shall be uploaded."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, Literal

from rlpt.run_dir import RunDir
from rlpt.tracking.files import dump_json
from rlpt.tracking.protocol import Artifact
from rlpt.tracking.wandb_session import known_run_id, run_id

Weights = Literal["reference", "upload", "none"]


def artifact_name(artifact: Artifact) -> str | None:
    """The name in the project; None where the run that made it is not known to W&B."""
    if artifact.run is None:
        return _allowed(artifact.name)
    maker = RunDir(artifact.run)
    identity = known_run_id(maker) if artifact.used and artifact.kind == "policy" else run_id(maker)
    return None if identity is None else f"{artifact.name}-{identity}"


def send_artifact(run: Any, artifact: Artifact, weights: Weights) -> None:  # noqa: ANN401 - W&B's own type
    """Make the artifact an input or an output of W&B's `run`; weights only where they are wanted."""
    name = artifact_name(artifact)
    if name is None or (artifact.folder is not None and weights == "none"):
        return
    made = _make(artifact, name, weights)
    aliases = ["latest", *map(_allowed, artifact.aliases)]
    if not artifact.used:
        run.log_artifact(made, aliases=aliases)
    elif run.offline:
        # `use_artifact` refuses to work offline, where only its check whether the version exists already is missing.
        run._log_artifact(made, aliases=aliases, is_user_created=True, use_after_commit=True)
    else:
        run.use_artifact(made, aliases=aliases)


def _make(artifact: Artifact, name: str, weights: Weights) -> Any:  # noqa: ANN401 - W&B's own type
    import wandb

    made = wandb.Artifact(name, artifact.kind, metadata=json.loads(dump_json(artifact.metadata)))
    for file, text in artifact.texts.items():
        with made.new_file(file, encoding="utf-8") as stream:
            stream.write(text)
    if artifact.folder is not None:
        _add_folder(made, artifact.folder, weights)
    return made


def _add_folder(made: Any, folder: Path, weights: Weights) -> None:  # noqa: ANN401 - W&B's own type
    if weights == "upload":
        made.add_dir(str(folder))
    else:
        # Without checksums: reading all weights would take minutes. A version is a place then, and each step has one.
        made.add_reference(folder.absolute().as_uri(), checksum=False)


def _allowed(name: str) -> str:
    """With what W&B does not take in names replaced."""
    return re.sub(r"[^A-Za-z0-9_.-]", "-", name)
