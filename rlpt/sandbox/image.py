"""The image of `sandbox=docker`: a Python and nothing else. `python -m rlpt.sandbox.image` builds it.

It starts from a normal base image where a registry can be reached; else, and where a run finds no image, it is made of
this machine's own Python and the libraries that it needs, in about a second. Its tag is a hash of this recipe and the
Python, so an image that is there is the right one, and building again does nothing. What runs in a sandbox besides
Python is sent when a container starts and is no part of the image.
"""

from __future__ import annotations

import argparse
import contextlib
import fcntl
import hashlib
import io
import os
import sys
import tarfile
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from docker import DockerClient  # type: ignore[import-untyped]
from docker.errors import DockerException, ImageNotFound  # type: ignore[import-untyped]

from rlpt.errors import UserError
from rlpt.sandbox.runtime import LEFT_OUT, Runtime, python_runtime

REPOSITORY = "rlpt-sandbox"
PYTHON = "/usr/local/bin/python3"
"""Where the images have their Python."""

BASE = f"python:{sys.version_info.major}.{sys.version_info.minor}-slim"
NEEDED = "import ctypes, hashlib, json, mmap, resource, select, subprocess, unicodedata"
BUILD_TIMEOUT_S = 300
NOBODY = "nobody:x:65534:65534:nobody:/tmp:/bin/false\n"
NOT_COPIED = LEFT_OUT | {f"config-{sys.version_info.major}.{sys.version_info.minor}-{os.uname().machine}-linux-gnu"}
DOCKERFILE = """
FROM {base}
RUN rm -rf /usr/local/lib/python*/site-packages /usr/local/lib/python*/ensurepip \\
    && test -x /usr/local/bin/python3 && find / -xdev -perm /6000 -type f -exec chmod a-s {{}} +
"""


def image_tag() -> str:
    """Return the tag under which this rlpt on this Python looks for its image."""
    recipe = "\n".join([sys.version, os.uname().machine, Path(__file__).read_text(), str(sorted(NOT_COPIED))])
    return f"{REPOSITORY}:{hashlib.sha256(recipe.encode()).hexdigest()[:16]}"


def has_image(client: DockerClient, name: str) -> bool:
    """Whether the engine holds an image."""
    try:
        client.images.get(name)
    except ImageNotFound:
        return False
    return True


def ensure_image(client: DockerClient) -> str:
    """Return the image's name; build it from this machine's Python where the engine does not hold it.

    Raises:
        UserError: where it must be built from a base image, or cannot be built.
    """
    name = image_tag()
    with _one_at_a_time():
        if not has_image(client, name):
            if sys.platform != "linux":
                raise UserError("The image of sandbox=docker is not there; build it with make sandbox-image.")
            build_from_machine(client, name)
    return name


def build_from_machine(client: DockerClient, name: str) -> None:
    """Import a root file system made of this machine's Python. Raises UserError where the engine refuses it."""
    repository, _, tag = name.partition(":")
    runtime = python_runtime()
    with tempfile.NamedTemporaryFile(suffix=".tar") as archive:
        write_root(runtime, archive)
        archive.flush()
        try:
            client.api.import_image_from_file(
                archive.name,
                repository=repository,
                tag=tag,
                changes=[f"ENV LD_LIBRARY_PATH={runtime.library_path}", "LABEL rlpt.sandbox.from=machine"],
            )
        except DockerException as error:
            raise UserError(f"The image of sandbox=docker cannot be built: {error}.") from error
    check_image(client, name)


def build_from_base(client: DockerClient, name: str, base: str) -> None:
    """Build from a base image that has Python at /usr/local/bin. Raises UserError where that fails."""
    try:
        client.images.build(
            fileobj=io.BytesIO(DOCKERFILE.format(base=base).encode()),
            tag=name,
            labels={"rlpt.sandbox.from": base},
            rm=True,
            forcerm=True,
            network_mode="none",
            timeout=BUILD_TIMEOUT_S,
        )
    except DockerException as error:
        raise UserError(
            f"No image can be built from {base}: {error}; write machine instead to use this Python."
        ) from error
    check_image(client, name)


def check_image(client: DockerClient, name: str) -> None:
    """Try a new image. Raises UserError, and removes it, where its Python lacks what the supervisor needs."""
    try:
        client.containers.run(name, [PYTHON, "-c", NEEDED], entrypoint=[], network_mode="none", remove=True)
    except (DockerException, OSError) as error:
        with contextlib.suppress(DockerException, OSError):
            client.images.remove(name, force=True)
        reason = " ".join(str(error).split())
        raise UserError(f"The new image of sandbox=docker does not work ({reason}); build it from another.") from error


def write_root(runtime: Runtime, target: IO[bytes]) -> None:
    """Write a root file system with a Python as a tar archive. The same files give the same archive."""
    with tarfile.open(fileobj=target, mode="w") as archive:
        for name in ("proc", "dev", "sys", "etc"):
            archive.addfile(_entry(name, tarfile.DIRTYPE, 0o755))
        archive.addfile(_entry("tmp", tarfile.DIRTYPE, 0o1777))  # runc gives what is mounted here the same mode
        for name, text in (("etc/passwd", NOBODY), ("etc/group", "nogroup:x:65534:\n")):
            entry = _entry(name, tarfile.REGTYPE, 0o644)
            entry.size = len(text)
            archive.addfile(entry, io.BytesIO(text.encode()))
        for folder in runtime.folders:
            archive.add(folder, filter=_as_root, recursive=True)
        for file in runtime.files:
            archive.add(file, filter=_as_root)
        links = dict(runtime.links)
        if runtime.executable != PYTHON:
            links[PYTHON] = runtime.executable
        for path, destination in links.items():
            entry = _entry(path.lstrip("/"), tarfile.SYMTYPE, 0o777)
            entry.linkname = destination
            archive.addfile(entry)


def _entry(name: str, kind: bytes, mode: int) -> tarfile.TarInfo:
    entry = tarfile.TarInfo(name)
    entry.type, entry.mode = kind, mode
    return entry


def _as_root(entry: tarfile.TarInfo) -> tarfile.TarInfo | None:
    """Readable by all, owned by root, without set-user-id; what a program has no use for is left out."""
    if Path(entry.name).name in NOT_COPIED:
        return None
    entry.uid = entry.gid = 0
    entry.uname = entry.gname = ""
    entry.mode = 0o755 if entry.isdir() or entry.mode & 0o100 else 0o644
    return entry


@contextmanager
def _one_at_a_time() -> Iterator[None]:
    """Verifier processes that start together wait for one of them to build."""
    with Path(tempfile.gettempdir(), f"{REPOSITORY}-{os.getuid()}.lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def main(argv: Sequence[str] | None = None) -> int:
    """Build the image unless the engine has it, and say so."""
    parser = argparse.ArgumentParser(
        prog="python -m rlpt.sandbox.image", description="Build the image of sandbox=docker."
    )
    parser.add_argument(
        "source",
        nargs="?",
        help=f"machine: this Python; or a base image; if left out: {BASE} if it can be had, else this",
    )
    source = parser.parse_args(argv).source
    from rlpt.sandbox.docker import connect

    try:
        client = connect()
        name = image_tag()
        there = has_image(client, name)
        if not there and source != "machine":
            base = source or pulled(client, BASE)
            if base is not None:
                build_from_base(client, name, base)
        ensure_image(client)
    except UserError as error:
        print(error, file=sys.stderr)
        return 2
    print(f"{name} {'was there already' if there else 'is built'}.")
    return 0


def pulled(client: DockerClient, base: str) -> str | None:
    """The base image, if the engine has it or gets it from a registry within the client's time; else None."""
    try:
        client.images.pull(base)
    except (DockerException, OSError):
        return base if has_image(client, base) else None
    return base


if __name__ == "__main__":
    sys.exit(main())
