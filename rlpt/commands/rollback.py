"""`rlpt rollback RUN`: what became of a run's policy, and the way back to an earlier one by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from rlpt.commands.words import split_words
from rlpt.errors import UserError

HELP = """rlpt rollback RUN [step=N] [suspects=A,B] [list=true] [evaluation.rollback.KEY=VALUE ...]

  RUN       a run directory that no process works on
  step      a step with a checkpoint; if left out, the last evaluated one without a regression
  suspects  domains whose shares are lowered; if left out, those that the run's own measurements
            (interference) accuse of the last regression
  list      true: only print the lineage, and change nothing
  evaluation.rollback.learning_rate, .share, .new_seed
            what changes; if left out, as the run is configured

It prints the lineage: starts, checkpoints, evaluations with their verdicts, decisions. It makes

  rlpt train resume=RUN

go on with the policy, optimizer, critic and place in the mixture of that step. Steps go on counting
from where the run stands: nothing that was recorded is dropped. The newest checkpoint and the
exported policy are kept as checkpoints/step-N.before-rollback and policy.before-rollback.

Example
  rlpt rollback runs/DATE/TIME-NAME step=20 suspects=instructions evaluation.rollback.share=0.25"""

CHANGES = {"learning_rate": "0.5", "share": "0.5", "new_seed": "true"}
NODE = "evaluation.rollback."
OPTIONS = {"step": "20", "suspects": "NAME", "list": "true"} | {f"{NODE}{key}": value for key, value in CHANGES.items()}


def main(argv: Sequence[str]) -> int:
    """Print the lineage, go back, and say so. The exit code is 0.

    Raises:
        UserError: for an option, a run or a checkpoint that does not exist, or a run that is still running.
    """
    if not argv or argv[0] in ("-h", "--help"):
        print(HELP)
        return 0
    runs, texts = split_words("rollback", argv, OPTIONS)
    options = {key: _value(key, text) for key, text in texts.items()}
    if len(runs) != 1:
        raise UserError(f"rlpt rollback takes one run directory and {len(runs)} were given; see rlpt rollback --help.")
    from rlpt.config.record import recorded_config
    from rlpt.evaluation.lineage_table import lineage_text, rollback_words
    from rlpt.evaluation.text import emit, visible
    from rlpt.run_dir import open_run
    from rlpt.run_lock import holding
    from rlpt.tracking.lineage import read_lineage
    from rlpt.training.by_hand import roll_back
    from rlpt.training.going_back import Rollback

    run = open_run(Path(runs[0]).expanduser())
    if options.get("list"):
        emit(lineage_text(read_lineage(run.lineage)))
        return 0
    with holding(run):
        config = recorded_config(run.root)
        events = read_lineage(run.lineage)
        domains = _weights(config)
        changes = config["evaluation"]["rollback"] | {
            key: options[f"{NODE}{key}"] for key in CHANGES if _has(options, key)
        }
        named = options.get("suspects")
        if unknown := [name for name in named or () if name not in domains]:
            raise UserError(f"suspects={unknown[0]}: the run has no such domain; it has {', '.join(domains)}.")
        done = roll_back(run, events, Rollback(**changes), domains, options.get("step"), named)
        emit(lineage_text(read_lineage(run.lineage)))
        emit(f"\nThe run stands at step {done['step']} with the policy of step {done['to']}. {rollback_words(done)}")
        emit(f"Kept: {visible(', '.join(done['aside']))}. Go on with: rlpt train resume={visible(runs[0])}")
    return 0


def _weights(config: Mapping[str, Any]) -> dict[str, float]:
    return {name: float(domain["weight"]) for name, domain in config["domain"].items()}


def _has(options: Mapping[str, Any], key: str) -> bool:
    return f"{NODE}{key}" in options


def _value(key: str, text: str) -> Any:  # noqa: ANN401 - what each option takes
    if key == "step":
        if not text.isdecimal():
            raise UserError(f"step={text}: step takes a whole number, such as step=20.")
        return int(text)
    if key == "suspects":
        return [name for name in text.strip("[]").split(",") if name]
    value: object = yaml.safe_load(text)
    if key in ("list", f"{NODE}new_seed"):
        if not isinstance(value, bool):
            raise UserError(f"{key}={text}: {key} is true or false.")
        return value
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise UserError(f"{key}={text}: {key} takes a number between 0 and 1, such as {key}=0.5.")
    return float(value)
