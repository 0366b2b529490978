"""Freed memory stays with a process that computes."""

from __future__ import annotations

import platform
import subprocess
import sys
from collections.abc import Callable

COUNT_FAULTS = """
import resource, sys
if sys.argv[1] == "keep":
    from rlpt.memory import keep_freed_memory
    keep_freed_memory()
import torch
for _ in range(3):
    torch.ones(16 * 2**20)
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
for _ in range(5):
    torch.ones(16 * 2**20)
print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
"""


def page_faults(mode: str) -> int:
    """Of five tensors of 64 MiB, one after the other."""
    return int(subprocess.check_output([sys.executable, "-c", COUNT_FAULTS, mode], text=True))


def test_a_large_tensor_takes_the_pages_of_the_one_before(need: Callable[[str | None], None]) -> None:
    need(None if platform.libc_ver()[0] == "glibc" else "this C library has no mallopt")
    assert page_faults("keep") < page_faults("leave") / 10


def test_what_the_user_has_set_stays() -> None:
    code = "from rlpt.memory import keep_freed_memory as keep; import os; keep(); print(os.environ['MALLOC_MMAP_MAX_'])"
    environment = {"MALLOC_MMAP_MAX_": "7"}
    assert subprocess.check_output([sys.executable, "-c", code], text=True, env=environment).strip() == "7"
