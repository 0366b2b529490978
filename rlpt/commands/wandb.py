"""`rlpt wandb sync RUN` sends what a run recorded offline; `rlpt wandb workspace RUN` lays out the project's panels."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from rlpt.commands.words import split_words
from rlpt.config.extras import require
from rlpt.config.record import recorded_config
from rlpt.errors import UserError
from rlpt.run_dir import RunDir, open_run

HELP = """rlpt wandb sync RUN [RUN ...] [project=P] [entity=E]
rlpt wandb workspace RUN [RUN ...] [project=P] [entity=E] [name=NAME]

sync       sends what the runs recorded offline: all parts of a resumed run, in order, into one run
           of W&B; what W&B has already is left out
workspace  makes a view of the project with one section a domain, for the domains of the runs

  RUN      a run directory
  project  the W&B project; the one that the run was recorded for where it is not given
  entity   the W&B user or team; that of the run, or else the account's default
  name     what the view is called

Both need a key: set WANDB_API_KEY, or run wandb login. WANDB_BASE_URL names a server of your own.
rlpt wandb workspace also needs: pip install 'rlpt[workspaces]'"""

PLACE = {"project": "NAME", "entity": "NAME"}
OPTIONS: Mapping[str, Mapping[str, str]] = {"sync": PLACE, "workspace": {**PLACE, "name": "NAME"}}


def main(argv: Sequence[str]) -> int:
    """Do one of the two and return the exit code: 1 where W&B did not take everything.

    Raises:
        UserError: for a run or option that does not exist, without a key, or where W&B cannot be reached.
    """
    if not argv or argv[0] in ("-h", "--help") or "--help" in argv:
        print(HELP)
        return 0
    if argv[0] not in PARTS:
        raise UserError(f"There is no rlpt wandb {argv[0]}; write rlpt wandb sync RUN, or rlpt wandb workspace RUN.")
    names, options = split_words(f"wandb {argv[0]}", argv[1:], OPTIONS[argv[0]])
    if not names:
        raise UserError(f"rlpt wandb {argv[0]} takes a run directory; `ls -d runs/*/*` lists the runs made here.")
    return PARTS[argv[0]]([open_run(Path(name).expanduser()) for name in names], options)


def sync(runs: Sequence[RunDir], options: Mapping[str, str]) -> int:
    """`rlpt wandb sync`."""
    from rlpt.tracking.wandb_sync import send, unsent

    waiting = {run: unsent(run) for run in runs}
    for run, folders in waiting.items():
        if not folders:
            print(f"{run.root}: W&B has everything already.", flush=True)
    if not any(waiting.values()):
        return 0
    _check_service()
    complete = [send(run, folders, options) for run, folders in waiting.items() if folders]
    return 0 if all(complete) else 1


def workspace(runs: Sequence[RunDir], options: Mapping[str, str]) -> int:
    """`rlpt wandb workspace`."""
    require("wandb_workspaces", "workspaces", "rlpt wandb workspace")
    configs = [recorded_config(run.root) for run in runs]
    domains = list(dict.fromkeys(str(domain) for config in configs for domain in config.get("domain", ())))
    if not domains:
        raise UserError(f"{runs[0].root} has no domains; name a run of rlpt train or rlpt eval.")
    _check_service()
    import wandb

    from rlpt.tracking.wandb_workspace import build_workspace

    project = options.get("project") or _of_tracker(configs, "project") or "rlpt"
    try:
        entity = options.get("entity") or _of_tracker(configs, "entity") or wandb.Api().default_entity
        view = build_workspace(str(entity), project, options.get("name", "rlpt by domain"), domains)
        view.save()
    except Exception as error:  # W&B raises of everything
        said = (str(error).splitlines() or [type(error).__name__])[0]
        raise UserError(f"W&B did not take the workspace ({said}); name a project of yours.") from error
    print(f"A section for each of {', '.join(domains)}: {view.url}")
    return 0


PARTS: Mapping[str, Callable[[Sequence[RunDir], Mapping[str, str]], int]] = {"sync": sync, "workspace": workspace}


def _of_tracker(configs: Sequence[Mapping[str, Any]], key: str) -> str | None:
    """What the first run that names one was recorded for."""
    found = [(config.get("tracker") or {}).get(key) for config in configs]
    return next((str(value) for value in found if value), None)


def _check_service() -> None:
    from rlpt.tracking.wandb_session import base_url, has_key
    from rlpt.tracking.wandb_sync import check_reachable

    url = base_url()
    if not has_key(os.environ, url):
        raise UserError(f"There is no W&B key for {url}; set WANDB_API_KEY or run `wandb login`, and try again.")
    check_reachable(url)
