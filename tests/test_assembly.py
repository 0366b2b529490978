"""What a process is told before it computes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

HUGE_PAGES = Path("/sys/kernel/mm/transparent_hugepage/enabled")
COUNT_FAULTS = """
import resource, sys
from omegaconf import OmegaConf
if sys.argv[1] == "prepared":
    from rlpt.assembly import share_cores
    share_cores(OmegaConf.create({"accelerator": "cpu", "devices": 1, "threads": None}))
import torch
torch.ones(16 * 2**20)
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
for _ in range(5):
    torch.ones(16 * 2**20)
print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
"""


def page_faults(mode: str) -> int:
    """Of five tensors of 64 MiB, one after the other."""
    return int(subprocess.check_output([sys.executable, "-c", COUNT_FAULTS, mode], text=True))


@pytest.mark.skipif(
    not HUGE_PAGES.is_file() or "[madvise]" not in HUGE_PAGES.read_text(),
    reason="this kernel gives huge pages to all or to none",
)
def test_large_tensors_lie_in_huge_pages() -> None:
    assert page_faults("prepared") < page_faults("plain") / 10
