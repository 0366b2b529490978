"""A sandbox in a warm container of a Docker engine."""

from __future__ import annotations

import contextlib
import os
import socket
import struct
from pathlib import Path
from typing import Any

from rlpt.errors import UserError
from rlpt.sandbox import inside
from rlpt.sandbox.client import FrameReader, SandboxDied
from rlpt.sandbox.image import image_tag
from rlpt.sandbox.protocol import Limits
from rlpt.sandbox.warm import WarmSandbox

START_TIMEOUT_S = 30.0
ENGINE_TIMEOUT_S = 30.0
LABEL = "rlpt.sandbox"


def docker_sandbox(limits: Limits, reuse: int, image: str | None, runtime: str | None) -> WarmSandbox:
    """A sandbox of the name `docker`.

    The container has no network, no capability, no writable file but 16 MiB in /tmp, no user but nobody, and ends
    with this process: its supervisor reads from a connection that closes then.

    Raises:
        UserError: where no engine answers or it does not have the image.
    """
    problem = why_not(image)
    if problem:
        raise UserError(
            f"sandbox=docker does not work here: {problem}; start the engine, run `make sandbox-image`, or use "
            "sandbox=process."
        )
    return WarmSandbox("docker", lambda: ContainerSupervisor(limits, image or image_tag(), runtime), limits, reuse)


def why_not(image: str | None) -> str | None:
    """Why containers cannot be made here, or None. Answers within seconds, at once where there is no engine."""
    import docker
    from docker.errors import DockerException, ImageNotFound

    try:
        client = docker.from_env(timeout=5)
    except DockerException:
        return "no Docker engine answers"
    try:
        client.images.get(image or image_tag())
    except ImageNotFound:
        return f"the Docker engine has no image {image or image_tag()}"
    except (DockerException, OSError):
        return "no Docker engine answers"
    finally:
        client.close()
    return None


class ContainerSupervisor:
    """`inside.py` as first process of a container, spoken to over the engine's attach connection."""

    def __init__(self, limits: Limits, image: str, runtime: str | None) -> None:
        """Start it and wait until it is ready. Raises SandboxDied where it cannot be started."""
        import docker
        from docker.errors import DockerException

        self._container: Any = None
        self._connection: socket.socket | None = None
        try:
            self._client = docker.from_env(timeout=ENGINE_TIMEOUT_S)
            self._container = self._client.containers.create(image, **_options(limits, runtime))
            stream = self._container.attach_socket(params={"stdin": 1, "stdout": 1, "stderr": 0, "stream": 1})
            self._connection = getattr(stream, "_sock", stream)
            self._frames = FrameReader(_Demultiplexer(self._connection).read)
            self._container.start()
            self._frames.frame(START_TIMEOUT_S)
        except (DockerException, OSError, SandboxDied) as error:
            said = self._said()
            self.kill()
            raise SandboxDied(said or f"{type(error).__name__}: {error}") from error

    def ask(self, frame: bytes, timeout_s: float) -> bytes:
        """See Supervisor."""
        assert self._connection is not None
        self._connection.settimeout(timeout_s)
        self._connection.sendall(frame)
        return self._frames.frame(timeout_s)

    def kill(self) -> None:
        """See Supervisor. An engine that has gone takes nothing down here: the container ends with its connection."""
        from docker.errors import DockerException

        if self._connection is not None:
            with contextlib.suppress(OSError):
                self._connection.close()
        if self._container is not None:
            with contextlib.suppress(DockerException, OSError):
                self._container.remove(force=True)
        with contextlib.suppress(Exception):
            self._client.close()

    def _said(self) -> str:
        from docker.errors import DockerException

        with contextlib.suppress(DockerException, OSError):
            if self._container is not None:
                lines = self._container.logs(stdout=False, stderr=True, tail=1).decode("utf-8", "replace").strip()
                return str(lines)
        return ""


def _options(limits: Limits, runtime: str | None) -> dict[str, Any]:
    memory = f"{limits.memory_mb + 64}m"  # the supervisor's own; one program's limit is kept inside
    options: dict[str, Any] = {
        "command": ["python3", "-I", "-S", "-c", Path(inside.__file__).read_text(), "container"],
        "labels": {LABEL: str(os.getpid())},
        "stdin_open": True,
        "detach": True,
        "auto_remove": True,
        "network_mode": "none",
        "read_only": True,
        "cap_drop": ["ALL"],
        "security_opt": ["no-new-privileges"],
        "pids_limit": limits.processes + 8,
        "mem_limit": memory,
        "memswap_limit": memory,
        "nano_cpus": 1_000_000_000,
        "tmpfs": {"/tmp": "rw,noexec,nosuid,nodev,size=16m,mode=1777"},
        "user": "65534:65534",
        "ipc_mode": "none",
        "log_config": {"Type": "none"},
    }
    if runtime:
        options["runtime"] = runtime
    return options


class _Demultiplexer:
    """The engine sends stdout and stderr as blocks over one connection; only stdout counts here."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._buffer = b""

    def read(self, seconds: float) -> bytes:
        """Some bytes of stdout within `seconds`."""
        self._connection.settimeout(max(seconds, 0.001))
        while True:
            if len(self._buffer) >= 8:
                kind, length = struct.unpack("!BxxxI", self._buffer[:8])
                if len(self._buffer) >= 8 + length:
                    block, self._buffer = self._buffer[8 : 8 + length], self._buffer[8 + length :]
                    if kind == 1 and block:
                        return block
                    continue
            chunk = self._connection.recv(1 << 20)
            if not chunk:
                return b""
            self._buffer += chunk
