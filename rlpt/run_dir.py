"""Where everything of a run lies in its directory."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from rlpt.errors import UserError

_STEP = re.compile(r"step-(\d{5,})(?:\.jsonl\.zst|\.parquet)?")


def step_name(step: int) -> str:
    """`step-00005`: the name of a step's file or folder, so that names sort as steps do (up to 99,999)."""
    return f"step-{step:05d}"


@dataclass(frozen=True, slots=True)
class RunDir:
    """The paths of one run. Holds no state and creates nothing."""

    root: Path

    @property
    def config(self) -> Path:
        """The resolved configuration."""
        return self.root / "config.yaml"

    @property
    def overrides(self) -> Path:
        """What was given on the command line."""
        return self.root / "overrides.yaml"

    @property
    def choices(self) -> Path:
        """The option of each config group."""
        return self.root / "choices.yaml"

    @property
    def environment(self) -> Path:
        """Commit, versions, machine and data fingerprints."""
        return self.root / "environment.json"

    @property
    def metrics(self) -> Path:
        """One JSON object a step."""
        return self.root / "metrics.jsonl"

    @property
    def lineage(self) -> Path:
        """What became of the policy: evaluations and what followed from them, one JSON object an event."""
        return self.root / "lineage.jsonl"

    @property
    def summary(self) -> Path:
        """The end-of-run table as JSON."""
        return self.root / "summary.json"

    @property
    def suite(self) -> Path:
        """What the run's evaluations are made of: tasks and their fingerprints, by domain."""
        return self.root / "evaluations" / "suite.json"

    @property
    def checkpoints(self) -> Path:
        """Folder of `step-00005/` folders."""
        return self.root / "checkpoints"

    @property
    def policy(self) -> Path:
        """The exported model folder."""
        return self.root / "policy"

    @property
    def wandb(self) -> Path:
        """W&B's own files."""
        return self.root / "wandb"

    @property
    def tensorboard(self) -> Path:
        """TensorBoard's event files."""
        return self.root / "tensorboard"

    def checkpoint(self, step: int) -> Path:
        """The folder of one checkpoint."""
        return self.checkpoints / step_name(step)

    def rollouts(self, step: int) -> Path:
        """The groups of one step, with their advantages."""
        return self.root / "rollouts" / f"{step_name(step)}.jsonl.zst"

    def evaluation(self, step: int) -> Path:
        """The samples of the evaluation after `step` steps (0 = before the first)."""
        return self.root / "evaluations" / f"{step_name(step)}.parquet"

    def rollout_steps(self) -> list[int]:
        """The steps whose rollouts are there, in order."""
        return _steps_in(self.root / "rollouts")

    def evaluation_steps(self) -> list[int]:
        """The steps whose evaluations are there, in order."""
        return _steps_in(self.root / "evaluations")

    def checkpoint_steps(self) -> list[int]:
        """The steps that have a checkpoint folder, in order."""
        return _steps_in(self.checkpoints)


def open_run(path: Path) -> RunDir:
    """The run at `path`.

    Raises UserError where there is none, naming the newest run below `path` if there is one.
    """
    run = RunDir(path)
    if run.config.is_file() or run.metrics.is_file():
        return run
    if not path.exists():
        raise UserError(f"There is no run at {path}: no such folder; `ls -d runs/*/*` lists the runs made here.")
    if not path.is_dir():
        raise UserError(f"{path} is a file, not a run; name the run directory that holds config.yaml.")
    below = sorted(
        (found for depth in ("*", "*/*") for found in path.glob(f"{depth}/config.yaml")),
        key=lambda found: found.stat().st_mtime,
    )
    hint = f"the newest run in it is {below[-1].parent}" if below else "a run directory holds config.yaml"
    raise UserError(f"{path} is not a run directory; {hint}.")


def split_step(name: str) -> tuple[Path, str | None]:
    """The folder and the step that `RUN@12` or `RUN@last` names; no step for any other name."""
    folder, at, step = name.rpartition("@")
    if not at or not (step == "last" or step.isdecimal()) or Path(name).expanduser().exists():
        return Path(name).expanduser(), None
    return Path(folder).expanduser(), step


def _steps_in(folder: Path) -> list[int]:
    if not folder.is_dir():
        return []
    matches = (_STEP.fullmatch(entry.name) for entry in folder.iterdir())
    return sorted(int(match.group(1)) for match in matches if match)
