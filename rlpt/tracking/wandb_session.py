"""Around a W&B run: which mode it takes, under which id it goes on, and what W&B already has of it."""

from __future__ import annotations

import json
import logging
import netrc
import os
import secrets
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

from rlpt.run_dir import RunDir
from rlpt.tracking.files import atomic_file

log = logging.getLogger(__name__)

Mode = Literal["online", "offline", "disabled"]

ID_FILE = "run-id.txt"
INSPECT_TIMEOUT_S = 60.0


def choose_mode(mode: str, environ: Mapping[str, str], has_key: Callable[[], bool]) -> Mode:
    """The mode for W&B.

    `auto` follows WANDB_MODE where it is set. Online needs a key: without one the run is recorded offline, so that
    W&B never asks for a login in the middle of a job.
    """
    wanted = environ.get("WANDB_MODE", "online") if mode == "auto" else mode
    if wanted in ("disabled", "offline", "dryrun"):
        return "disabled" if wanted == "disabled" else "offline"
    return "online" if has_key() else "offline"


def has_key(environ: Mapping[str, str], base_url: str) -> bool:
    """Whether there are credentials for the W&B server at `base_url`: in the environment or in the netrc file."""
    if environ.get("WANDB_API_KEY") or environ.get("WANDB_IDENTITY_TOKEN_FILE"):
        return True
    host = urlsplit(base_url).netloc
    files = [Path(environ["NETRC"])] if environ.get("NETRC") else [Path.home() / ".netrc", Path.home() / "_netrc"]
    return any(_in_netrc(file, host) for file in files)


def base_url() -> str:
    """The address of the W&B server that the settings name."""
    import wandb

    # Global settings, so that W&B does not tell on stderr where it found a key.
    return str(wandb.setup(settings=wandb.Settings(silent=True)).settings.base_url)


def _in_netrc(file: Path, host: str) -> bool:
    try:
        entry = netrc.netrc(file.expanduser()).authenticators(host)
    except (OSError, netrc.NetrcParseError):
        return False
    return bool(entry and entry[2])


def run_id(run: RunDir) -> str:
    """The id of the run at W&B: made once, then read from the run directory, so that a resumed run goes on in it."""
    if found := known_run_id(run):
        return found
    made = secrets.token_hex(4)
    with atomic_file(run.wandb / ID_FILE) as file:
        file.write(f"{made}\n".encode())
    return made


def known_run_id(run: RunDir) -> str | None:
    """The id of the run at W&B; None where it has none."""
    path = run.wandb / ID_FILE
    return (path.read_text(encoding="ascii").strip() or None) if path.is_file() else None


def offline_folders(run: RunDir) -> list[Path]:
    """The folders that W&B made for the run's offline parts, in order of time."""
    return sorted(folder for folder in run.wandb.glob("offline-run-*") if any(folder.glob("*.wandb")))


def last_offline_step(run: RunDir) -> int:
    """The last step in the run's offline files; -1 where there is none.

    W&B writes them in blocks: after a kill the newest steps may be missing, so the file itself is asked.
    """
    return max(map(_inspected_step, offline_folders(run)), default=-1)


def give_up() -> None:
    """Take W&B's hook off the interpreter's exit: it waits for W&B's process without a limit."""

    def teardown() -> None:
        try:
            import wandb

            wandb.teardown()
        except Exception as error:
            log.debug("W&B teardown: %s", error)

    thread = threading.Thread(target=teardown, name="wandb-teardown", daemon=True)
    thread.start()
    thread.join(5.0)


def _inspected_step(folder: Path) -> int:
    command = [sys.executable, "-m", "wandb", "leet", "inspect", "--json", "--summary", str(folder)]
    environ = {name: value for name, value in os.environ.items() if name != "WANDB_SERVICE"}
    try:
        done = subprocess.run(command, capture_output=True, timeout=INSPECT_TIMEOUT_S, env=environ, check=True)
        return int(json.loads(done.stdout).get("summary", {}).get("rl/step", -1))
    except (OSError, subprocess.SubprocessError, ValueError) as error:
        log.warning("W&B's file in %s cannot be read (%s); its steps are sent again.", folder, error)
        return -1
