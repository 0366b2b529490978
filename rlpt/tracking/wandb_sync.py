"""Sending to W&B what runs recorded offline."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from urllib.error import HTTPError, URLError
from urllib.request import urlopen

from rlpt.errors import UserError
from rlpt.run_dir import RunDir
from rlpt.tracking.wandb_session import known_run_id, offline_folders

REACH_TIMEOUT_S = 15.0


def unsent(run: RunDir) -> list[Path]:
    """The folders of the run's offline parts that W&B does not have yet, in order of time.

    Raises UserError where nothing of the run was recorded offline.
    """
    folders = offline_folders(run)
    if not folders:
        raise UserError(
            f"{run.root} holds no offline files of W&B: it was recorded online, or with tracker=none or "
            "tracker=tensorboard."
        )
    return [folder for folder in folders if not is_sent(folder)]


def is_sent(folder: Path) -> bool:
    """Whether W&B has confirmed the part: its command leaves a mark."""
    return any(folder.glob("*.wandb.synced"))


def check_reachable(url: str) -> None:
    """Raises UserError where no server answers at `url`; W&B's own command would try again for hours."""
    try:
        with urlopen(url, timeout=REACH_TIMEOUT_S):
            pass
    except HTTPError:
        return  # it answers
    except (URLError, OSError, ValueError) as error:
        raise UserError(
            f"W&B cannot be reached at {url} ({getattr(error, 'reason', error)}); try again from a machine with a "
            "network, or set WANDB_BASE_URL."
        ) from error


def send(run: RunDir, folders: Sequence[Path], options: Mapping[str, str]) -> bool:
    """Send the parts with W&B's own command, which prints what it does. Whether W&B has them all now."""
    subprocess.run(sync_command(run, folders, options), env=_environ(run), check=False)
    missing = [folder.name for folder in folders if not is_sent(folder)]
    if missing:
        print(f"{run.root}: W&B did not take {', '.join(missing)}; what it said stands above.", file=sys.stderr)
    return not missing


def sync_command(run: RunDir, folders: Sequence[Path], options: Mapping[str, str]) -> list[str]:
    """W&B's command. With an id it sends several parts one after the other, in order of time.

    `options`: `project` and `entity` where they are not those that the parts were recorded for.
    """
    given = [word for name, value in options.items() for word in (f"--{name}", value)]
    identity = known_run_id(run)
    own = [] if identity is None else ["--id", identity]
    return [sys.executable, "-m", "wandb", "sync", *own, *given, *map(str, folders)]


def _environ(run: RunDir) -> dict[str, str]:
    environ = {name: value for name, value in os.environ.items() if name not in ("WANDB_SERVICE", "WANDB_MODE")}
    # Its logs would make a folder where the user stands.
    return {"WANDB_CACHE_DIR": str(run.wandb / "cache"), **environ, "WANDB_DIR": str(run.root)}
