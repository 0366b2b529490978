"""How the C library of a training process treats memory that was freed."""

from __future__ import annotations

import ctypes
import os

# Numbers and names of glibc's mallopt(3).
OPTIONS = {
    "MALLOC_TRIM_THRESHOLD_": (-1, 2**31 - 1),  # return memory only where 2 GiB of it lie idle at the end
    "MALLOC_TOP_PAD_": (-2, 64 * 2**20),  # ask for 64 MiB at a time
    "MALLOC_MMAP_MAX_": (-4, 0),  # no allocation is a mapping of its own
}


def keep_freed_memory() -> None:
    """Keep freed memory for the next allocation, in this process and in those that it starts.

    By default glibc hands every large block back to the kernel when it is freed. Each micro-batch frees and allocates
    the same few hundred MB, and getting zeroed pages for them again took a quarter of an update's time. Values that
    the user has set stay; a C library without mallopt is left as it is.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    for name, (option, value) in OPTIONS.items():
        if name not in os.environ:
            os.environ[name] = str(value)
            if mallopt is not None:
                mallopt(option, value)
