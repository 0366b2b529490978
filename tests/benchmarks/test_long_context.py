"""The benchmark of long trajectories, on small sizes: it ends, and its figures follow what is computed."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="peaks of memory are read from /proc")

SMALL = ["--rounds", "1", "--tokens", "4096", "--plain-tokens", "1024", "--vocabulary", "20000", "--hidden", "16"]
TRAIN = ["--train-tokens", "1024", "--layers", "2", "--width", "64"]


def test_it_measures_each_technique(root: Path, tmp_path: Path) -> None:
    command = [sys.executable, root / "benchmarks" / "long_context.py", "--json", tmp_path / "figures.json"]
    ended = subprocess.run([*command, *SMALL, *TRAIN], capture_output=True, text=True, check=False, timeout=500)
    assert ended.returncode == 0, ended.stderr
    figures = json.loads((tmp_path / "figures.json").read_text())
    whole_logits_gb = 4096 * 20_000 * 4 / 1e9
    assert 0.0 < figures["logprobs_32k_extra_gb"] < whole_logits_gb
    assert figures["speed_vs_plain_2k"] > 0.0
    rows = figures["train"]
    assert figures["train_16k_peak_gb"] == rows["all techniques"]["peak_gb"]
    # 1,024 x 32,768 logits in fp32, several times over.
    assert rows["- chunked logits"]["peak_gb"] > rows["all techniques"]["peak_gb"] + 0.13
    assert all(name in ended.stdout for name in rows)
