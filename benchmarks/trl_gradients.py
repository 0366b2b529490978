r"""Whether rlpt's recipes have the gradients that TRL has for the same model, completions and rewards.

    python benchmarks/trl_gradients.py --peer-python PATH [--json FILE] [--seed 0]

`--peer-python` names an interpreter that has TRL, in an environment of its own; without it nothing is done. Such as
`python -m venv build/trl && build/trl/bin/pip install trl==1.16.0`, then `--peer-python build/trl/bin/python`.

One step is computed by both, in float32 on the CPU: once with one update, once with two, of which the second is
clipped because the policy has moved. rlpt's side is the composed recipe through the functions that training uses, in
packed micro-batches; TRL's is `GRPOTrainer.train` on padded ones, with its own rewards, advantages and loss.
`relative_difference` is the norm of the difference over the norm of TRL's gradient, the worst of a method's three
updates. Settings in which the two differ are aligned, and listed with the difference that there is `without` them: of
one update, but where the alignment is about two. Ends with status 1 where a method differs by more than 1e-5.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from _trl_cases import CASES, COMMON, Alignment, Case
from _trl_ours import (
    END,
    GROUP_SIZE,
    LIMIT,
    STEP_LENGTH,
    TEMPERATURE,
    VOCABULARY,
    Gradient,
    Update,
    gradients,
    make_groups,
    recipe_of,
    relative_difference,
    save_model,
    under_mean_denominator,
)
from safetensors.torch import load_file

from rlpt.records import Group

PEER = Path(__file__).with_name("_trl_peer.py")
TOLERANCE = 1e-5

Run = tuple[Case, int]
"""A case, and the updates of its step."""


def main() -> None:
    """Compare, print the tables, and write the figures where `--json` says."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--peer-python", type=Path, default=None)
    parser.add_argument("--json", type=Path, default=None)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    if options.peer_python is None:
        print("Nothing to compare with: name the interpreter of an environment that has TRL with --peer-python.")
        return
    if not options.peer_python.exists():
        parser.error(f"{options.peer_python} does not exist; name the interpreter of an environment that has TRL.")
    with tempfile.TemporaryDirectory() as folder:
        figures = compare(Path(folder), options.peer_python, options.seed)
    if options.json:
        options.json.write_text(json.dumps(figures, indent=2) + "\n")
    print(table(figures))
    beyond = [name for name, value in figures["relative_difference"].items() if not value <= TOLERANCE]
    if beyond:
        sys.exit(f"More than {TOLERANCE:g} apart: {', '.join(beyond)}.")


def compare(folder: Path, peer_python: Path, seed: int) -> dict[str, Any]:
    """All figures; `folder` is for what the two sides exchange."""
    model = folder / "model"
    save_model(model, seed)
    groups = make_groups(model, seed)
    runs = {f"{case.name}-{updates}": (case, updates) for case in CASES for updates in (1, 2)}
    for case in CASES:
        for number, one in enumerate(case.alignments):
            runs[f"{case.name}-without-{number}"] = (case.without(one), updates_to_show(one))
    versions = run_peer(peer_python, folder, work(model, groups, runs))
    found = {name: differences(run, model, groups, folder / f"{name}.safetensors") for name, run in runs.items()}
    methods = {case.name: method(case, found) for case in CASES}
    worst = {name: figures["relative_difference"] for name, figures in methods.items()}
    return {"relative_difference": worst, "tolerance": TOLERANCE, "methods": methods, "versions": versions}


def method(case: Case, found: Mapping[str, Sequence[tuple[float, float]]]) -> dict[str, Any]:
    """The figures of one case. `found`: each run's difference and clipped share, update by update."""
    one, two = found[f"{case.name}-1"], found[f"{case.name}-2"]
    return {
        "relative_difference": max(difference for difference, _ in (*one, *two)),
        "one_update": one[0][0],
        "two_updates": [difference for difference, _ in two],
        "clipped_in_second": two[1][1],
        "alignments": [
            {
                "side": alignment.side,
                "setting": alignment.setting,
                "why": alignment.why,
                "without": found[f"{case.name}-without-{number}"][0][0],
            }
            for number, alignment in enumerate(case.alignments)
        ],
    }


def updates_to_show(alignment: Alignment) -> int:
    """In how many updates a step shows the alignment at its first."""
    return 2 if alignment.per_update else 1


def differences(run: Run, model: Path, groups: Sequence[Group], theirs: Path) -> list[tuple[float, float]]:
    """Of each update, the relative difference and the share of tokens that a bound clipped."""
    peer = load_file(theirs)
    return [
        (relative_difference(update.gradient, of_update(peer, number)), update.clipped)
        for number, update in enumerate(ours(run, model, groups))
    ]


def ours(run: Run, model: Path, groups: Sequence[Group]) -> list[Update]:
    """rlpt's updates."""
    case, updates = run
    found = gradients(model, groups, recipe_of(case.all_overrides, updates))
    return under_mean_denominator(found) if case.per_update else found


def of_update(gradients: Gradient, number: int) -> Gradient:
    """Of the peer's file, the gradient of one update by parameter."""
    own = f"{number}/"
    return {name.removeprefix(own): value for name, value in gradients.items() if name.startswith(own)}


def work(model: Path, groups: Sequence[Group], runs: Mapping[str, Run]) -> dict[str, Any]:
    """What the peer is told, as JSON."""
    return {
        "folder": str(model),
        "vocabulary": VOCABULARY,
        "end": END,
        "limit": LIMIT,
        "group_size": GROUP_SIZE,
        "temperature": TEMPERATURE,
        "step_length": STEP_LENGTH,
        "groups": [
            {
                "prompt_ids": group.rollouts[0].prompt_ids,
                "completion_ids": [rollout.token_ids for rollout in group.rollouts],
                "logprobs": [rollout.logprobs for rollout in group.rollouts],
                "rewards": [verdict.reward for verdict in group.verdicts],
            }
            for group in groups
        ],
        "runs": [
            {"name": name, "updates": updates, "config": case.all_config, "rewards": case.all_rewards}
            for name, (case, updates) in runs.items()
        ],
    }


def run_peer(python: Path, folder: Path, told: Mapping[str, Any]) -> dict[str, str]:
    """Let the peer write its gradients into `folder`; return its versions."""
    file = folder / "work.json"
    file.write_text(json.dumps(told))
    done = subprocess.run([python, PEER, file, folder], capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{done.stderr}\nTRL's side failed: install trl==1.16.0 for {python}, as --help shows.")
    versions: dict[str, str] = json.loads(done.stdout.splitlines()[-1])
    return versions


def table(figures: Mapping[str, Any]) -> str:
    """The figures in words."""
    lines = [f"Relative difference to the gradients of TRL {figures['versions']['trl']}:", ""]
    lines += ["| case | one update | two updates | clipped in the second |", "| --- | --- | --- | --- |"]
    without: dict[tuple[str, str, str], list[str]] = {}
    for name, one in figures["methods"].items():
        two = ", ".join(f"{value:.1e}" for value in one["two_updates"])
        lines.append(f"| `{name}` | {one['one_update']:.1e} | {two} | {one['clipped_in_second']:.0%} |")
        for aligned in one["alignments"]:
            row = without.setdefault((aligned["side"], aligned["setting"], aligned["why"]), [])
            row.append(f"`{name}` {aligned['without']:.1e}")
    lines += ["", "Aligned for it, and the difference without:", ""]
    lines += ["| side | setting | because | without |", "| --- | --- | --- | --- |"]
    lines += [f"| {side} | {setting} | {why} | {', '.join(row)} |" for (side, setting, why), row in without.items()]
    return "\n".join([*lines, "", "In all cases:", "", *(f"- {line}" for line in COMMON)])


if __name__ == "__main__":
    main()
