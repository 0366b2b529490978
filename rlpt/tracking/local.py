"""The record in the run directory. It always exists, and everything that a tracker shows can be read from it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from rlpt.records import Group
from rlpt.run_dir import RunDir
from rlpt.tracking.codec import group_from_json, group_to_json
from rlpt.tracking.files import read_jsonl_zst, write_json, write_jsonl_zst
from rlpt.tracking.lineage import Lineage
from rlpt.tracking.metrics_log import MetricsLog
from rlpt.tracking.results import write_results


class LocalRecord:
    """Writes metrics.jsonl, rollouts/, evaluations/ and summary.json of one run.

    One process of a run holds it (rank 0). All methods raise UserError where the run directory cannot be written.
    """

    def __init__(self, run: RunDir, start_step: int | None = None) -> None:
        """Open the record of `run`.

        `start_step` is the checkpoint's step when a run is resumed: what was recorded after it is dropped, because
        those steps are about to happen again.
        """
        self.run = run
        self._metrics = MetricsLog(run.metrics, keep_to_step=start_step)
        self.lineage = Lineage(run.lineage, keep_to_step=start_step)
        if start_step is not None:
            for path in _after(run, start_step):
                path.unlink()

    def log(self, step: int, metrics: Mapping[str, float]) -> None:
        """Record numbers of one step; several calls for one step are merged into its line."""
        self._metrics.log(step, metrics)

    def rollouts(self, step: int, groups: Sequence[Group], advantages: Sequence[Sequence[float]]) -> None:
        """Record the groups of one step, with one advantage for each rollout of each group."""
        if len(groups) != len(advantages):
            raise ValueError(f"step {step}: advantages of {len(advantages)} groups for {len(groups)} groups")
        rows = (group_to_json(group, values) for group, values in zip(groups, advantages, strict=True))
        write_jsonl_zst(self.run.rollouts(step), rows)

    def evaluation(self, step: int, rows: Iterable[Mapping[str, Any]]) -> None:
        """Record the samples of the evaluation after `step` steps, one row each."""
        write_results(self.run.evaluation(step), rows)

    def summary(self, values: Mapping[str, Any]) -> None:
        """Write summary.json."""
        write_json(self.run.summary, dict(values))

    def close(self) -> None:
        """Close metrics.jsonl. Calling it twice is allowed."""
        self._metrics.close()


def read_rollouts(path: Path) -> Iterator[tuple[Group, list[float]]]:
    """The groups of one step and their advantages, one group at a time.

    Raises UserError where the file is absent or damaged.
    """
    return (group_from_json(row) for row in read_jsonl_zst(path))


def _after(run: RunDir, step: int) -> list[Path]:
    rollouts = [run.rollouts(later) for later in run.rollout_steps() if later > step]
    evaluations = [run.evaluation(later) for later in run.evaluation_steps() if later > step]
    return rollouts + evaluations
