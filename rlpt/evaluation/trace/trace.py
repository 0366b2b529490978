"""Everything that a run's files say about its regressions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from rlpt.errors import UserError
from rlpt.evaluation.trace.accused import Accused, accuse, mean_matrix
from rlpt.evaluation.trace.shifts import Row, Shift, shifts
from rlpt.evaluation.trace.windows import Event, Window, evaluations, regressions, whole_run
from rlpt.run_dir import open_run
from rlpt.tracking.lineage import read_lineage
from rlpt.tracking.metrics_log import read_metrics


@dataclass(frozen=True, slots=True)
class Traced:
    """One domain in one window: who is accused, the worst first, and what changed, the largest first."""

    window: Window
    accused: Sequence[Accused]
    shifts: Sequence[Shift]

    @property
    def culprit(self) -> Accused | None:
        """The domain whose updates did most harm, among those that clearly worked against this one."""
        return next((one for one in self.accused if one.clear), None)


@dataclass(frozen=True, slots=True)
class Trace:
    """The traced domains of a run. `cosines` and `errors` are means over the run's records, by pairs of domains.

    `compared`: the evaluations that were compared with another one.
    """

    run: Path
    traced: Sequence[Traced]
    compared: int
    cosines: Mapping[str, Mapping[str, float]]
    errors: Mapping[str, Mapping[str, float]]


def trace(path: Path, domain: str | None = None, step: int | None = None) -> Trace:
    """Trace the last regression of each domain that had one, or `domain`, whether it had one or not.

    `step`: regressions that the evaluation after it saw.

    Raises:
        UserError: where there is no run, nothing was evaluated, or the run has no such domain or regression.
    """
    run = open_run(path)
    if not run.lineage.is_file():
        raise UserError(f"{path} has no lineage.jsonl: nothing was evaluated in training; see evaluation.every.")
    events, rows = read_lineage(run.lineage), read_metrics(run.metrics)
    windows = _windows(path, events, rows, domain, step)
    domains = _domains(rows)
    traced = [
        Traced(window, accuse(events, rows, window), shifts(rows, window.good, window.bad, domains))
        for window in windows
    ]
    compared = sum("domains" in event for event in evaluations(events))
    return Trace(path, traced, compared, mean_matrix(events, "cosines"), mean_matrix(events, "errors"))


def _windows(
    path: Path, events: Sequence[Event], rows: Sequence[Row], domain: str | None, step: int | None
) -> list[Window]:
    found = regressions(events)
    known = _domains(rows)
    if domain is not None and domain not in known:
        raise UserError(f"{path} has no domain {domain}; it has: {', '.join(known)}.")
    if step is not None:
        seen = [window for window in found if window.bad <= step <= window.last and domain in (None, window.domain)]
        if not seen:
            steps = sorted({window.bad for window in found if domain in (None, window.domain)})
            where = (
                f"there were some after step {', '.join(map(str, steps))}" if steps else "there was none in this run"
            )
            whose = f" of {domain}" if domain else ""
            raise UserError(f"No regression{whose} was seen after step {step}; {where}.")
        return seen
    last = {window.domain: window for window in found if domain in (None, window.domain)}
    if domain is not None and not last and (whole := whole_run(events, domain)):
        return [whole]
    return list(last.values())


def _domains(rows: Sequence[Row]) -> list[str]:
    """Those that were trained on or evaluated, in the order of their first metric."""
    names = (name.split("/") for row in rows for name in row)
    return list(dict.fromkeys(parts[1] for parts in names if len(parts) == 3 and parts[0] in ("train", "eval")))
