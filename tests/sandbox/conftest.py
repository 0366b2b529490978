"""Real sandboxes to attack. A Docker engine is started for these tests where that is allowed."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from rlpt.errors import UserError
from rlpt.sandbox.engine import missing_engine
from rlpt.sandbox.protocol import Limits
from rlpt.sandbox.warm import WarmSandbox

LIMITS = Limits(wall_s=10.0, cpu_s=10.0)
"""Wide, since the machine may be busy; tests of limits set their own."""

ENGINE_TIMEOUT_S = 60


@pytest.fixture(scope="session")
def engine(need: Callable[[str | None], None]) -> Iterator[str]:
    """The address of a Docker engine: one of these tests' own where they run as root, else the machine's."""
    dockerd = shutil.which("dockerd", path=f"{os.environ['PATH']}:/usr/sbin:/sbin")
    if dockerd is None or os.geteuid() != 0:
        need(missing_engine())
        yield os.environ.get("DOCKER_HOST", "")
        return
    before = os.environ.get("DOCKER_HOST")
    with tempfile.TemporaryDirectory(prefix="rlpt-docker-") as folder:
        address = f"unix://{folder}/docker.sock"
        server = start_engine(dockerd, folder)
        os.environ["DOCKER_HOST"] = address
        try:
            wait_for_engine(server, Path(folder, "log"))
            yield address
        finally:
            server.terminate()
            server.wait(ENGINE_TIMEOUT_S)
            os.environ.pop("DOCKER_HOST")
            if before is not None:
                os.environ["DOCKER_HOST"] = before


def start_engine(dockerd: str, folder: str) -> subprocess.Popen[bytes]:
    """Start an engine that keeps to a folder and leaves the machine's network alone."""
    command = [dockerd, "--host", f"unix://{folder}/docker.sock", "--pidfile", f"{folder}/pid"]
    command += ["--data-root", f"{folder}/data", "--exec-root", f"{folder}/exec"]
    command += ["--bridge", "none", "--iptables=false", "--ip6tables=false"]
    with Path(folder, "log").open("ab") as log:
        return subprocess.Popen(command, stdout=log, stderr=log)


def wait_for_engine(server: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + ENGINE_TIMEOUT_S
    while missing_engine() is not None:
        if server.poll() is not None or time.monotonic() > deadline:
            pytest.fail(f"dockerd does not start: {log.read_text()[-2000:]}", pytrace=False)
        time.sleep(0.05)


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
