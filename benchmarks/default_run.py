"""The default experiment as a user runs it, for several seeds: what got better, and how long it took.

    python benchmarks/default_run.py --json FILE [--seeds 0,1,2] [--runs FOLDER]
        [--overrides policy=tiny budget.steps=10]

Each seed is a process of its own, `rlpt train seed=N`; its run directory is kept where `--runs` names a folder. The
figures are those of its summary.json; `process_s` is the wall time of the whole process, imports and preparation of
the model included.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any


def main() -> None:
    """Run the seeds one after the other and write their summaries."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", type=Path, required=True)
    parser.add_argument("--seeds", default="0,1,2")
    parser.add_argument("--runs", type=Path, default=None)
    parser.add_argument("--overrides", nargs="*", default=[])
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.runs or Path(temporary)
        runs = {seed: run(seed, options.overrides, folder / f"seed-{seed}") for seed in options.seeds.split(",")}
    options.json.write_text(json.dumps({"overrides": options.overrides, "seeds": runs}, indent=2) + "\n")
    for seed, summary in runs.items():
        intervals = ", ".join(
            f"{name} {domain['delta']:+.2f} [{domain['ci95'][0]:+.2f}, {domain['ci95'][1]:+.2f}]"
            for name, domain in summary["domains"].items()
        )
        print(f"seed {seed}: {summary['process_s']:.0f} s; {intervals}")


def run(seed: str, overrides: list[str], folder: Path) -> dict[str, Any]:
    """One run below `folder`."""
    folder.mkdir(parents=True)
    start = time.monotonic()
    command = [sys.executable, "-m", "rlpt", "train", f"seed={seed}", *overrides]
    subprocess.run(command, cwd=folder, check=True)
    seconds = time.monotonic() - start
    (file,) = folder.glob("runs/*/*/summary.json")
    summary: dict[str, Any] = json.loads(file.read_text())
    return {**summary, "process_s": round(seconds, 1)}


if __name__ == "__main__":
    main()
