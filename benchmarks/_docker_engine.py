"""A Docker engine of one's own, in a temporary folder: for tests and benchmarks, where they run as root."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from rlpt.sandbox.engine import missing_engine

TIMEOUT_S = 60


class EngineError(Exception):
    """The engine does not start; the message is the end of its log."""


def startable() -> str | None:
    """The path of dockerd, where it is installed and this user may start it."""
    found = shutil.which("dockerd", path=f"{os.environ['PATH']}:/usr/sbin:/sbin")
    return found if os.geteuid() == 0 else None


@contextmanager
def engine_of_its_own(dockerd: str) -> Iterator[str]:
    """Start an engine, let `$DOCKER_HOST` name it, and yield its address; at the end all is as before.

    Raises:
        EngineError: where it does not start.
    """
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
            server.wait(TIMEOUT_S)
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
    """Wait until the engine that `$DOCKER_HOST` names answers. Raises EngineError where it does not."""
    deadline = time.monotonic() + TIMEOUT_S
    while missing_engine() is not None:
        if server.poll() is not None or time.monotonic() > deadline:
            raise EngineError(f"dockerd does not start: {log.read_text()[-2000:]}")
        time.sleep(0.05)
