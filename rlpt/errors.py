"""Errors that a user can cause. The command line prints them as one plain sentence, without a traceback."""

from __future__ import annotations

import sys
import traceback


class UserError(Exception):
    """Something the user can mend. The message is one plain sentence that names the fix."""


def complain(error: UserError, with_traceback: bool) -> None:
    """Print what went wrong: one sentence, below its traceback where that was asked for."""
    if with_traceback:
        traceback.print_exception(error)
    print(f"rlpt: {error}", file=sys.stderr, flush=True)
