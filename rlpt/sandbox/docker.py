"""`sandbox=docker`: warm containers of a real engine, each with every limit that the engine has."""

from __future__ import annotations

import contextlib
import socket
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from typing import Any

import docker  # type: ignore[import-untyped]
from docker import DockerClient
from docker.errors import DockerException  # type: ignore[import-untyped]

from rlpt.errors import UserError
from rlpt.sandbox import wire
from rlpt.sandbox.cell import Cell, CellLostError, CellOverdueError, Connection
from rlpt.sandbox.engine import missing_engine
from rlpt.sandbox.image import PYTHON, ensure_image, has_image
from rlpt.sandbox.protocol import Limits
from rlpt.sandbox.warm import REUSE, WarmSandbox

API_TIMEOUT_S = 20
SUPERVISOR_MB = 64
"""Memory of a container beyond its program's: the supervisor, and output that it holds."""

SUPERVISOR_PROCESSES = 2
MAX_FILES = 4096
NOBODY = "65534:65534"
LABEL = "rlpt.sandbox"
KERNEL = wire.Kernel(counts_processes=False, own_cpu_share=True)
"""The engine's own limit on processes counts those of one container; RLIMIT_NPROC would count those of all."""

STDOUT = 1
FRAME_HEADER = 8
"""Bytes before each frame of an attached container: the stream's number and the frame's length."""


def docker_sandbox(
    limits: Limits | Mapping[str, Any] | None = None,
    concurrency: int | None = None,
    image: str | None = None,
    runtime: str | None = None,
    cpus: float = 1.0,
    reuse: int = REUSE,
    chosen_because: str = "sandbox=docker was asked for",
) -> WarmSandbox:
    """Return a sandbox whose cells are containers.

    Args:
        limits: of every program; may be tightened for one.
        concurrency: containers at once; None: one for each CPU core.
        image: an image with Python at /usr/local/bin/python3; None: rlpt's own, built where it is not there.
        runtime: the engine's runtime, such as `runsc` (gVisor); None: its default.
        cpus: CPU cores that one container may use.
        reuse: programs after which a container is replaced; 0: each program has a new one.
        chosen_because: for people.

    Raises:
        UserError: where no engine answers, it lacks the image or the runtime, or it cannot keep a limit.
    """
    limits = Limits.of(limits)
    if cpus <= 0:
        raise UserError(f"sandbox.cpus={cpus:g} must be a number above 0.")
    if image == "":
        raise UserError("sandbox.image is empty; name an image, or write sandbox.image=null for rlpt's own.")
    with ExitStack() as stack:
        try:
            client = connect()
            stack.callback(client.close)
            if image is not None and not has_image(client, image):
                raise UserError(f"The Docker engine has no image {image}; pull or build it, or set sandbox.image=null.")
            settings = container_settings(limits, image or ensure_image(client), runtime, cpus)
            opener = partial(open_cell, client, settings)
            sandbox = WarmSandbox(
                "docker", opener, limits, concurrency, chosen_because, KERNEL, reuse, engine_answers, client.close
            )
        except (DockerException, OSError, CellLostError, CellOverdueError) as error:
            raise UserError(f"sandbox=docker does not work here: {error}; mend that or use sandbox=process.") from error
        stack.pop_all()  # from here on the sandbox closes the client
        return sandbox


def engine_answers() -> bool:
    """Whether the engine that `$DOCKER_HOST` names answers, in a moment."""
    return missing_engine() is None


def why_not(image: str | None = None) -> str | None:
    """Why `sandbox=docker` does not work here; None where it does, or would once the image is built. Starts nothing."""
    try:
        with contextlib.closing(connect()) as client:
            there = image is None or has_image(client, image)
    except (UserError, OSError) as error:
        return str(error)
    return None if there else f"the Docker engine has no image {image}"


def connect() -> DockerClient:
    """Return a client of the engine that `$DOCKER_HOST` names. Raises UserError where none answers."""
    missing = missing_engine()
    if missing is not None:
        raise UserError(f"sandbox=docker needs a Docker engine, but {missing}; start one, or use sandbox=process.")
    try:
        return docker.from_env(timeout=API_TIMEOUT_S)
    except DockerException as error:
        raise UserError(f"The Docker engine cannot be used: {error}; mend that or use sandbox=process.") from error


def container_settings(limits: Limits, image: str, runtime: str | None, cpus: float) -> dict[str, Any]:
    """The container as the engine's API has it: nothing that a program does not need."""
    memory = (limits.memory_mb + SUPERVISOR_MB) * 2**20
    scratch = f"rw,noexec,nosuid,nodev,size={limits.disk_mb}m,nr_inodes={MAX_FILES},mode=1777"
    return {
        "Image": image,
        "Cmd": [PYTHON, *wire.PYTHON_OPTIONS, "-c", wire.BOOT],
        "Entrypoint": [],
        "Env": [f"{name}={value}" for name, value in wire.ENVIRONMENT.items()],
        "User": NOBODY,
        "WorkingDir": "/tmp",
        "Hostname": "sandbox",
        "Labels": {LABEL: "cell"},
        # The container's input is this client's connection. When that ends, however it does, the supervisor ends too.
        "OpenStdin": True,
        "StdinOnce": True,
        "AttachStdin": True,
        "AttachStdout": True,
        "AttachStderr": True,
        "NetworkDisabled": True,
        "HostConfig": {
            "AutoRemove": True,
            "NetworkMode": "none",
            "IpcMode": "none",
            "CgroupnsMode": "private",
            "ReadonlyRootfs": True,
            "CapDrop": ["ALL"],
            "SecurityOpt": ["no-new-privileges"],
            "PidsLimit": limits.processes + SUPERVISOR_PROCESSES,
            "Memory": memory,
            "MemorySwap": memory,
            "NanoCpus": int(cpus * 1e9),
            "OomKillDisable": False,
            "Tmpfs": {"/tmp": scratch, "/dev/shm": scratch},
            "Ulimits": [
                {"Name": "nofile", "Soft": max(64, limits.open_files), "Hard": max(64, limits.open_files)},
                {"Name": "core", "Soft": 0, "Hard": 0},
                {"Name": "memlock", "Soft": 0, "Hard": 0},
            ],
            "LogConfig": {"Type": "none"},  # a program's output goes to the client alone, never to the disk
            **({} if runtime is None else {"Runtime": runtime}),
        },
    }


def open_cell(client: DockerClient, settings: dict[str, Any]) -> Cell:
    """Start a container with a supervisor. Raises CellLostError with the reason where that fails."""
    container, end = "", None
    try:
        created = client.api.create_container_from_config(settings)
        container = created["Id"]
        end = partial(remove, client, container)
        refuse_dropped_limits(created.get("Warnings") or ())
        streams = {"stdin": 1, "stdout": 1, "stderr": 1, "stream": 1}
        attached = client.api.attach_socket(container, params=streams)
        client.api.start(container)
    except (DockerException, OSError) as error:
        if end is not None:
            end()
        raise CellLostError(f"no container can be started ({error})") from error
    frames = Frames()
    connected: socket.socket = getattr(attached, "_sock", attached)

    def end_and_hang_up() -> None:
        with contextlib.suppress(OSError, ValueError):  # closed already
            attached._response.close()  # the SDK keeps it there, and it keeps the connection
        attached.close()
        remove(client, container)

    return Cell(Connection(connected, frames.unwrap), end_and_hang_up, lambda: post_mortem(client, container, frames))


def refuse_dropped_limits(warnings: Sequence[str]) -> None:
    """Raise CellLostError where the engine says that it does not keep a limit; swap is the one that may be missing."""
    for warning in warnings:
        if "discarded" in warning.lower() and "swap" not in warning.lower():
            raise CellLostError(f"the engine cannot keep a limit ({warning})")


def remove(client: DockerClient, container: str) -> None:
    """Kill and remove a container; one that is gone already is no error."""
    with contextlib.suppress(DockerException, OSError):
        client.api.remove_container(container, force=True)


def post_mortem(client: DockerClient, container: str, frames: Frames) -> str:
    """What the engine and the supervisor's standard error say of a container's end."""
    with contextlib.suppress(DockerException, OSError):  # an ended container is mostly removed by now
        if client.api.inspect_container(container)["State"].get("OOMKilled"):
            return "out_of_memory"
    return frames.last_words()


class Frames:
    """Takes apart what an attached container sends: frames of its standard output and error."""

    def __init__(self) -> None:
        self._left = bytearray()
        self._errors = bytearray()

    def unwrap(self, chunk: bytes) -> bytes:
        """Return what of standard output is complete with `chunk`."""
        self._left += chunk
        output = bytearray()
        start = 0
        while len(self._left) - start >= FRAME_HEADER:
            end = start + FRAME_HEADER + int.from_bytes(self._left[start + 4 : start + FRAME_HEADER], "big")
            if end > len(self._left):
                break
            stream = output if self._left[start] == STDOUT else self._errors
            stream += self._left[start + FRAME_HEADER : end]
            start = end
        del self._left[:start]
        del self._errors[:-4096]
        return bytes(output)

    def last_words(self) -> str:
        """The last line of standard error."""
        lines = self._errors.decode("utf-8", "replace").strip().splitlines()
        return lines[-1] if lines else ""
