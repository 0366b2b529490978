"""A folder that is made once and then reused: complete or absent, also when two processes make it at once."""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from rlpt.errors import UserError


def default_cache_dir() -> Path:
    """Where prepared models lie: $RLPT_CACHE, else $XDG_CACHE_HOME/rlpt, else ~/.cache/rlpt."""
    if root := os.environ.get("RLPT_CACHE"):
        return Path(root).expanduser()
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "rlpt"


def cached_folder(target: Path, build: Callable[[Path], None]) -> Path:
    """Return `target`, calling `build(folder)` to fill it when it is not there yet.

    The folder is filled under another name and renamed at the end, so an interrupted build leaves nothing that
    looks finished. Of several processes that want it at once, the first builds and the others wait.
    """
    if target.is_dir():
        return target
    with _lock(target):
        return target if target.is_dir() else _build(target, build)


@contextmanager
def _lock(target: Path) -> Iterator[None]:
    """Held by one process at a time; the kernel lets go of it when its holder dies."""
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        file = target.with_name(f".{target.name}.lock").open("w")
    except OSError as error:
        raise UserError(
            f"The cache folder {target.parent} cannot be written ({error.strerror}); "
            "name another with cache_dir=PATH or the variable RLPT_CACHE."
        ) from error
    with file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _build(target: Path, build: Callable[[Path], None]) -> Path:
    scratch = Path(tempfile.mkdtemp(prefix=f".{target.name}-", dir=target.parent))
    try:
        build(scratch)
        scratch.rename(target)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    return target
