"""Which sandbox a run uses: decided once, before the first program, so that all its processes use the same."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hydra.utils import instantiate

AUTO = "rlpt.sandbox.auto.auto_sandbox"
ARGUMENTS = {
    "docker": ("rlpt.sandbox.docker.docker_sandbox", ("limits", "concurrency", "image", "runtime", "cpus")),
    "process": ("rlpt.sandbox.process.process_sandbox", ("limits", "concurrency")),
}


def decide(config: Mapping[str, Any]) -> tuple[dict[str, Any], str]:
    """Make the sandbox of `config` once, to see that it works. Returns the config to use, and a line for people.

    Where `config` is `auto`, the one returned names what was chosen.

    Raises:
        UserError: where it does not work on this machine.
    """
    # Through a partial: `instantiate` would wrap the plain sentence of a UserError in an error of its own.
    sandbox = instantiate({**config, "concurrency": 1}, _partial_=True)()
    line = f"sandbox: {sandbox.name} ({sandbox.chosen_because})"
    sandbox.close()
    if config["_target_"] != AUTO:
        return dict(config), line
    target, names = ARGUMENTS[sandbox.name]
    return {"_target_": target, **{name: config[name] for name in names}}, line
