"""Leaves nothing of a program: no process, no file.

This runs after each program, in plain calls of the system: what it touches, the kernel has to copy after each fork.
"""

from __future__ import annotations

import contextlib
import os
import signal

SCRATCH = tuple(folder for folder in ("/tmp", "/dev/shm", "/dev/mqueue") if os.path.isdir(folder))  # noqa: PTH112
"""All that can be written to. Docker has the last one, whose files are message queues."""


def reset() -> bool:
    """Kill every process but this one, empty what can be written to, and return whether nothing is left."""
    try:
        kill_all()
        for folder in SCRATCH:
            wipe(folder)
            strip(folder)
        return not processes() and not any(os.listdir(folder) or attributes(folder) for folder in SCRATCH)  # noqa: PTH208
    except OSError:
        return False


def processes() -> list[int]:
    """Every process of the sandbox but the supervisor."""
    return [int(name) for name in os.listdir("/proc") if name.isdigit() and name != "1"]  # noqa: PTH208


def kill_all() -> None:
    """Kill and reap until no process is left. All are children of process 1, or become so when their parent dies."""
    while True:
        with contextlib.suppress(ProcessLookupError):
            os.kill(-1, signal.SIGKILL)
        try:
            os.wait4(-1, 0)
        except ChildProcessError:
            return


def strip(folder: str) -> None:
    """Take a folder's extended attributes away, access lists among them, which its owner may set."""
    for name in attributes(folder):
        with contextlib.suppress(OSError):  # seen by who looks again
            os.removexattr(folder, name)


def attributes(folder: str) -> list[str]:
    """The extended attributes of a folder; none where the file system has none."""
    try:
        return os.listxattr(folder)
    except OSError:
        return []


def wipe(folder: str) -> None:
    """Empty a folder, however deep it is: what lies in an inner folder is moved to the top before that one goes."""
    with contextlib.suppress(PermissionError):
        os.chmod(folder, 0o1777)  # noqa: PTH101
    top = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        while names := os.listdir(top):  # noqa: PTH208
            for name in names:
                _remove(name, top)
    finally:
        os.close(top)


def _remove(name: str, top: int) -> None:
    with contextlib.suppress(IsADirectoryError):
        os.unlink(name, dir_fd=top)
        return
    inner = _open_folder(name, top)
    try:
        for child in os.listdir(inner):  # noqa: PTH208
            with contextlib.suppress(IsADirectoryError):
                os.unlink(child, dir_fd=inner)
                continue
            os.close(_open_folder(child, inner))  # what moves must be writable
            os.rename(child, os.urandom(16).hex(), src_dir_fd=inner, dst_dir_fd=top)
    finally:
        os.close(inner)
    os.rmdir(name, dir_fd=top)


def _open_folder(name: str, parent: int) -> int:
    """Open a folder after giving it back the rights that a program may have taken from it."""
    os.chmod(name, 0o700, dir_fd=parent)
    return os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=parent)
