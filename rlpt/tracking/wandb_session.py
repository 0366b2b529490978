"""Around a W&B run: which mode it takes, under which id it goes on, and what W&B already has of it."""

from __future__ import annotations

import json
import logging
import netrc
import os
import secrets
import subprocess
import sys
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


def _in_netrc(file: Path, host: str) -> bool:
    try:
        entry = netrc.netrc(file.expanduser()).authenticators(host)
    except (OSError, netrc.NetrcParseError):
        return False
    return bool(entry and entry[2])


def run_id(run: RunDir) -> str:
    """The id of the run at W&B: made once, then read from the run directory, so that a resumed run goes on in it."""
    path = run.wandb / ID_FILE
    if path.is_file() and (found := path.read_text(encoding="ascii").strip()):
        return found
    made = secrets.token_hex(4)
    with atomic_file(path) as file:
        file.write(f"{made}\n".encode())
    return made


def last_offline_step(run: RunDir) -> int:
    """The last step in the run's offline files; -1 where there is none.

    W&B writes them in blocks: after a kill the newest steps may be missing, so the file itself is asked.
    """
    steps = [
        _inspected_step(folder) for folder in sorted(run.wandb.glob("offline-run-*")) if any(folder.glob("*.wandb"))
    ]
    return max(steps, default=-1)


def _inspected_step(folder: Path) -> int:
    command = [sys.executable, "-m", "wandb", "leet", "inspect", "--json", "--summary", str(folder)]
    environ = {name: value for name, value in os.environ.items() if name != "WANDB_SERVICE"}
    try:
        done = subprocess.run(command, capture_output=True, timeout=INSPECT_TIMEOUT_S, env=environ, check=True)
        return int(json.loads(done.stdout).get("summary", {}).get("rl/step", -1))
    except (OSError, subprocess.SubprocessError, ValueError) as error:
        log.warning("W&B's file in %s cannot be read (%s); its steps are sent again.", folder, error)
        return -1
