"""Errors that a user can cause. The command line prints them as one plain sentence, without a traceback."""

from __future__ import annotations


class UserError(Exception):
    """Something the user can mend. The message is one plain sentence that names the fix."""
