"""The benchmark of packing, on a small batch: both ways compute the same, and nothing but padding is saved."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

SMALL = ["--rounds", "1", "--rollouts", "12", "--longest", "256", "--budget", "512", "--width", "32", "--layers", "2"]


def test_it_measures_packed_beside_padded(root: Path, tmp_path: Path) -> None:
    command = [sys.executable, root / "benchmarks" / "packing.py", "--json", tmp_path / "figures.json", *SMALL]
    ended = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    assert ended.returncode == 0, ended.stderr
    figures = json.loads((tmp_path / "figures.json").read_text())
    assert 0.9 < figures["real_token_share"] <= 1.0
    assert figures["updates_vs_padded"] > 0.0
    assert 12 * 16 <= figures["tokens"] <= 12 * 256
    assert "real_token_share" in ended.stdout
