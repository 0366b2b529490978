"""environment.json: which code, which versions and which machine a run used."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
from collections.abc import Mapping
from datetime import UTC, datetime
from importlib.metadata import distributions
from pathlib import Path
from typing import Any

import rlpt
from rlpt.errors import UserError
from rlpt.run_dir import RunDir
from rlpt.tracking.files import write_json

GIT_TIMEOUT_S = 20.0
MAX_DIFF_CHARS = 2_000_000
MAX_UNTRACKED = 1_000


def describe_environment(fingerprints: Mapping[str, str], folder: Path | None = None) -> dict[str, Any]:
    """What a later reader needs to run the same again.

    `fingerprints` maps the name of a data set (`arithmetic/test`) to its fingerprint. `folder` is where the run was
    started (default: the working directory); its checkout is recorded, and rlpt's own where it is another one.
    """
    here = git_state(folder or Path.cwd())
    source = git_state(Path(rlpt.__file__).parent, tracked="__init__.py")
    if here is not None and source is not None and here["root"] == source["root"]:
        source = None
    return {
        "time": datetime.now(UTC).isoformat(timespec="seconds"),
        "command": sys.argv,
        "rlpt": rlpt.__version__,
        "python": platform.python_version(),
        "platform": platform.platform(),
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        "git": here,
        "rlpt_git": source,
        "data": dict(fingerprints),
        "packages": package_versions(),
    }


def write_environment(run: RunDir, description: Mapping[str, Any], start_step: int = 0) -> None:
    """Write environment.json. For a resumed run the first description stays and this one is added to `resumes`."""
    if start_step == 0 or not run.environment.is_file():
        write_json(run.environment, dict(description))
        return
    first = read_environment(run)
    resumes = [entry for entry in first.get("resumes", []) if entry["start_step"] <= start_step]
    first["resumes"] = [*resumes, {"start_step": start_step, **description}]
    write_json(run.environment, first)


def read_environment(run: RunDir) -> dict[str, Any]:
    """The run's environment.json. Raises UserError where it is absent or damaged."""
    try:
        value = json.loads(run.environment.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UserError(f"{run.environment} cannot be read ({error}).") from error
    if not isinstance(value, dict):
        raise UserError(f"{run.environment} does not hold a JSON object.")
    return value


def package_versions() -> dict[str, str]:
    """Version of every installed distribution, by name, sorted."""
    found = ((distribution.metadata["Name"], distribution.version) for distribution in distributions())
    return dict(sorted((str(name), str(version)) for name, version in found if name))


def git_state(folder: Path, tracked: str | None = None) -> dict[str, Any] | None:
    """Commit, difference to it and untracked files of the checkout that holds `folder`.

    None outside a checkout, without git, or where `tracked` (a file in `folder`) does not belong to the checkout.
    The difference is cut at 2 million characters, and `diff_complete` says whether it was.
    """
    root = _git(folder, "rev-parse", "--show-toplevel")
    if root is None or (tracked and _git(folder, "ls-files", "--error-unmatch", tracked) is None):
        return None
    # External diff and text-conversion commands of the user's git configuration must not run from here.
    diff = _git(folder, "diff", "HEAD", "--no-color", "--no-ext-diff", "--no-textconv", "--binary") or ""
    untracked = (_git(folder, "ls-files", "--others", "--exclude-standard", "--full-name", ":/") or "").splitlines()
    commit = _git(folder, "rev-parse", "HEAD")
    return {
        "root": root.strip(),
        "commit": commit.strip() if commit else None,
        "dirty": bool(diff or untracked),
        "diff": diff[:MAX_DIFF_CHARS],
        "diff_complete": len(diff) <= MAX_DIFF_CHARS,
        "untracked": untracked[:MAX_UNTRACKED],
    }


def _git(folder: Path, *arguments: str) -> str | None:
    try:
        done = subprocess.run(
            ["git", "-C", str(folder), *arguments],
            capture_output=True,
            timeout=GIT_TIMEOUT_S,
            env={**os.environ, "GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C"},
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.decode("utf-8", "replace") if done.returncode == 0 else None
