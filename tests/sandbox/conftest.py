"""Real sandboxes to attack. A Docker engine is started for these tests where that is allowed."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

from benchmarks._docker_engine import EngineError, engine_of_its_own, startable
from rlpt.errors import UserError
from rlpt.sandbox.engine import missing_engine
from rlpt.sandbox.protocol import Limits
from rlpt.sandbox.warm import WarmSandbox

LIMITS = Limits(wall_s=10.0, cpu_s=10.0)
"""Wide, since the machine may be busy; tests of limits set their own."""


@pytest.fixture(scope="session")
def engine(need: Callable[[str | None], None]) -> Iterator[str]:
    """The address of a Docker engine: one of these tests' own where they run as root, else the machine's."""
    dockerd = startable()
    if dockerd is None:
        need(missing_engine())
        yield os.environ.get("DOCKER_HOST", "")
        return
    with ExitStack() as stack:
        try:
            address = stack.enter_context(engine_of_its_own(dockerd))
        except EngineError as error:
            pytest.fail(str(error), pytrace=False)
        yield address


@pytest.fixture(scope="session")
def process(need: Callable[[str | None], None]) -> Iterator[WarmSandbox]:
    """A sandbox of namespaces."""
    from rlpt.sandbox.process import process_sandbox

    try:
        sandbox = process_sandbox(LIMITS, concurrency=2)
    except UserError as error:
        need(str(error))
        raise
    yield sandbox
    sandbox.close()


@pytest.fixture(scope="session")
def docker(engine: str) -> Iterator[WarmSandbox]:
    """A sandbox of containers."""
    from rlpt.sandbox.docker import docker_sandbox

    sandbox = docker_sandbox(LIMITS, concurrency=2, cpus=2.0)
    yield sandbox
    sandbox.close()


@pytest.fixture(scope="session", params=["process", "docker"])
def sandbox(request: pytest.FixtureRequest) -> WarmSandbox:
    """Each of the two."""
    found: WarmSandbox = request.getfixturevalue(request.param)
    return found
