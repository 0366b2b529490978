"""`sandbox=auto`: Docker where an engine answers and has the image or can be given it, else namespaces; says which."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rlpt.errors import UserError
from rlpt.sandbox.engine import missing_engine
from rlpt.sandbox.process import process_sandbox
from rlpt.sandbox.protocol import Limits
from rlpt.sandbox.warm import REUSE, WarmSandbox


def auto_sandbox(
    limits: Limits | Mapping[str, Any] | None = None,
    concurrency: int | None = None,
    image: str | None = None,
    runtime: str | None = None,
    cpus: float = 1.0,
    reuse: int = REUSE,
) -> WarmSandbox:
    """Return the sandbox that this machine can offer; `name` and `chosen_because` say which it is and why.

    The arguments are those of `docker_sandbox`; `process_sandbox` takes `limits`, `concurrency` and `reuse`. An engine
    that is missing costs no time: see `rlpt.sandbox.engine`.

    Raises:
        UserError: where neither works, with both reasons; and where Docker does not while `image` or `runtime` ask for
            it.
    """
    limits = Limits.of(limits)
    no_docker = missing_engine()
    if no_docker is None:
        from rlpt.sandbox.docker import docker_sandbox  # the SDK takes a third of a second

        try:
            return docker_sandbox(limits, concurrency, image, runtime, cpus, reuse, "a Docker engine answers")
        except UserError as error:
            if image is not None or runtime is not None:  # asked for by name: nothing else will do
                raise
            no_docker = str(error)
    elif image is not None or runtime is not None:
        raise UserError(
            f"sandbox.image and sandbox.runtime belong to sandbox=docker, but {no_docker}; start an engine, or leave "
            "them out."
        )
    try:
        return process_sandbox(limits, concurrency, reuse, no_docker)
    except UserError as error:
        raise UserError(f"No sandbox works here. Docker: {no_docker} Namespaces: {error}") from error
