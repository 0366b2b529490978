"""Who works on a run directory: one process at a time, however it ends."""

from __future__ import annotations

import errno
import fcntl
from collections.abc import Iterator
from contextlib import contextmanager

from rlpt.errors import UserError
from rlpt.run_dir import RunDir

NAME = ".lock"
TAKEN = (errno.EACCES, errno.EAGAIN)
UNSUPPORTED = (errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP)
"""Some cluster file systems have no locks. There nobody is kept out."""


@contextmanager
def holding(run: RunDir) -> Iterator[None]:
    """Keep other processes out of `run` within the block.

    The lock belongs to the process (fcntl), so that it ends with it and no child holds it longer.

    Raises:
        UserError: where another process has it, or the folder cannot be written.
    """
    path = run.root / NAME
    try:
        file = path.open("ab")
    except OSError as error:
        raise UserError(
            f"{run.root} cannot be written ({error.strerror}); choose a run that you may change."
        ) from error
    with file:
        try:
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            if error.errno in TAKEN:
                raise UserError(f"{run.root} is still running; wait for its end, or end it with Ctrl-C.") from error
            if error.errno not in UNSUPPORTED:
                raise
        yield


def check_idle(run: RunDir) -> None:
    """Raise UserError where another process works on `run`."""
    with holding(run):
        pass
