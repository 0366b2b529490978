"""The `_target_`s of conf/sandbox/: from flat settings to a sandbox."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hydra.utils import instantiate

from rlpt.errors import UserError
from rlpt.sandbox.docker import docker_sandbox
from rlpt.sandbox.docker import why_not as why_not_docker
from rlpt.sandbox.process import process_sandbox
from rlpt.sandbox.process import why_not as why_not_process
from rlpt.sandbox.protocol import Limits
from rlpt.sandbox.warm import WarmSandbox


def process(*, wall_s: float, memory_mb: int, output_bytes: int, processes: int, reuse: int) -> WarmSandbox:
    """`sandbox=process`. Raises UserError where the kernel does not allow namespaces."""
    return process_sandbox(Limits(wall_s, memory_mb, output_bytes, processes), reuse)


def docker(
    *,
    wall_s: float,
    memory_mb: int,
    output_bytes: int,
    processes: int,
    reuse: int,
    image: str | None = None,
    runtime: str | None = None,
) -> WarmSandbox:
    """`sandbox=docker`. Raises UserError where no engine answers or it has no image."""
    return docker_sandbox(Limits(wall_s, memory_mb, output_bytes, processes), reuse, image, runtime)


def auto(*, wall_s: float, memory_mb: int, output_bytes: int, processes: int, reuse: int) -> WarmSandbox:
    """`sandbox=auto`: docker where it works at once, else process. Raises UserError where neither does."""
    limits = Limits(wall_s, memory_mb, output_bytes, processes)
    no_docker = why_not_docker(None)
    if no_docker is None:
        return docker_sandbox(limits, reuse, None, None)
    no_process = why_not_process()
    if no_process is not None:
        raise UserError(
            f"No sandbox works here: Docker because {no_docker}, namespaces because {no_process}; start a Docker engine "
            "and run `make sandbox-image`, or allow unprivileged user namespaces."
        )
    sandbox = process_sandbox(limits, reuse)
    sandbox.chosen_because = no_docker
    return sandbox


def decide(config: Mapping[str, Any]) -> tuple[dict[str, Any], str]:
    """Make the sandbox of `config` once to see that it works. Returns the config to use and a line for the record.

    Workers get the config returned: where `auto` stands, all of them use what was chosen here.

    Raises:
        UserError: where it does not work.
    """
    sandbox = instantiate(config)
    name, because = sandbox.name, getattr(sandbox, "chosen_because", "")
    sandbox.close()
    chosen = dict(config)
    if chosen["_target_"] == f"{__name__}.auto":
        chosen["_target_"] = f"{__name__}.{name}"
    return chosen, f"sandbox: {name}" + (f" ({because})" if because else "")
