"""A planted culprit: one domain pays for the opposite of another, and in mid run its share rises. Is it named?

    python benchmarks/trace.py --json FILE [--seeds 0,1,2] [--runs FOLDER]

For each seed, `rlpt train policy=tiny` on four domains (see `_opposed.py`): `high`, its opponent `low`, and two that
have no part in that. After step 6 nearly all tasks of the first two come from `low`. Then `rlpt trace` is asked:
`culprits_found` counts the seeds in which it says of `high` that `low` did it. `accused_wrongly` counts the other
domains that it says clearly worked against `high`. `interference_steps` is the time of one measurement over that of a
step, both as medians: four domains of 16 groups each, in steps of 16 groups whose answers are one token long.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any

from rlpt.run_dir import RunDir
from rlpt.tracking.metrics_log import read_metrics

HERE = Path(__file__).resolve().parent
VICTIM, CULPRIT = "high", "low"
BEFORE = {"high": 2.0, "low": 2.0, "letter": 1.5, "chance": 1.5}
LATER = {"high": 0.5, "low": 4.0, "letter": 1.5, "chance": 1.5}
SHIFT = 6
OVERRIDES = (
    f"domain=[{','.join(BEFORE)}]",
    "mixture=shifting",
    "policy=tiny",
    "algorithm.optimizer.learning_rate=1e-3",
    "budget.steps=18",
    "evaluation.every=3",
    "evaluation.tasks_per_domain=96",
    "tracker=none",
    "serving=none",
)
DOMAIN = """# @package domain.{name}
defaults:
  - /verifier@verifier: one_of
  - _self_

_target_: _opposed.Picks
name: {name}
max_new_tokens: 4
weight: {weight}
"""


def main() -> None:
    """Run the seeds one after the other and ask for the culprit of each."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", type=Path, required=True)
    parser.add_argument("--seeds", default="0,1,2")
    parser.add_argument("--runs", type=Path, default=None)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.runs or Path(temporary)
        write_config(Path(temporary) / "conf")
        runs = {seed: one_run(seed, Path(temporary) / "conf", folder.resolve()) for seed in options.seeds.split(",")}
    figures = {
        "seeds": len(runs),
        "culprits_found": sum(run["culprit"] == CULPRIT for run in runs.values()),
        "accused_wrongly": sum(len(run["accused_wrongly"]) for run in runs.values()),
        "interference_steps": round(median(run["interference_steps"] for run in runs.values()), 1),
        "runs": runs,
    }
    options.json.write_text(json.dumps(figures, indent=2) + "\n")
    for seed, run in runs.items():
        print(f"seed {seed}, {run['process_s']} s: {run['headline']}")
    print(f"culprits found: {figures['culprits_found']} of {figures['seeds']}")


def write_config(folder: Path) -> None:
    """The domains, their verifier and the mixture, as a user would write them."""
    for name, weight in BEFORE.items():
        file = folder / "domain" / f"{name}.yaml"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(DOMAIN.format(name=name, weight=weight))
    for group, text in {
        "verifier/one_of": "_target_: _opposed.OneOf\n",
        "mixture/shifting": f"_target_: _opposed.Shifting\ntasks_per_step: 16\nafter: {SHIFT}\n"
        f"later: {json.dumps(LATER)}\n",
    }.items():
        file = folder / f"{group}.yaml"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)


def one_run(seed: str, config: Path, folder: Path) -> dict[str, Any]:
    """Train and trace below `folder`, and return what was found."""
    run = RunDir(folder / f"seed-{seed}")
    start = time.monotonic()
    rlpt("train", "--config-dir", str(config), *OVERRIDES, f"seed={seed}", f"hydra.run.dir={run.root}")
    seconds = time.monotonic() - start
    file = run.root / "trace.json"
    rlpt("trace", str(run.root), f"domain={VICTIM}", f"json={file}")
    (traced,) = json.loads(file.read_text())["traced"]
    rows = read_metrics(run.metrics)
    measured, steps = (
        median(row[name] for row in rows if name in row) for name in ("time/interference_s", "time/step_s")
    )
    return {
        "headline": traced["headline"],
        "culprit": traced["culprit"] if traced["regressed"] else None,
        "accused_wrongly": [one["domain"] for one in traced["accused"] if one["clear"] and one["domain"] != CULPRIT],
        "accused": traced["accused"],
        "window": [traced["good"], traced["bad"]],
        "interference_steps": measured / steps,
        "process_s": round(seconds, 1),
    }


def rlpt(*arguments: str) -> None:
    """A command, with `_opposed.py` at hand."""
    paths = os.pathsep.join(filter(None, (str(HERE), os.environ.get("PYTHONPATH"))))
    subprocess.run([sys.executable, "-m", "rlpt", *arguments], env=os.environ | {"PYTHONPATH": paths}, check=True)


if __name__ == "__main__":
    main()
