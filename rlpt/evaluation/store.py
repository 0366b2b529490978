"""Evaluations in a run directory: written once, read back with the suite that they were made of."""

from __future__ import annotations

import json
from dataclasses import dataclass

from rlpt.errors import UserError
from rlpt.evaluation.sample import Sample, sample_from_json
from rlpt.evaluation.suite import Suite, check_same, suite_from_json, suite_to_json
from rlpt.run_dir import RunDir
from rlpt.tracking.files import write_json
from rlpt.tracking.results import read_results


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The samples of one evaluation, its suite, and a name for messages."""

    name: str
    suite: Suite
    samples: list[Sample]


def record_suite(run: RunDir, suite: Suite) -> None:
    """Write the run's suite; for a resumed run, check that it is still the same.

    Raises UserError where the run was started on other tasks or settings.
    """
    if run.suite.is_file():
        check_same(read_suite(run), suite, (str(run.root), "this command"))
    write_json(run.suite, suite_to_json(suite))


def read_suite(run: RunDir) -> Suite:
    """The suite of the run's evaluations. Raises UserError where it is absent or damaged."""
    try:
        return suite_from_json(json.loads(run.suite.read_text(encoding="utf-8")))
    except FileNotFoundError as error:
        raise UserError(f"{run.root} holds no evaluation; run it with evaluation=default.") from error
    except (OSError, ValueError, TypeError, AttributeError) as error:
        raise UserError(f"{run.suite} cannot be read ({error}).") from error


def load_evaluation(run: RunDir, step: int | None = None) -> Evaluation:
    """The evaluation after `step` steps, or the last one. Raises UserError where it is not there."""
    steps = run.evaluation_steps()
    if not steps:
        raise UserError(f"{run.root} holds no evaluation; run it with evaluation=default.")
    wanted = steps[-1] if step is None else step
    if wanted not in steps:
        raise UserError(f"{run.root} has no evaluation at step {wanted}; it has: {', '.join(map(str, steps))}.")
    samples = [sample_from_json(row) for row in read_results(run.evaluation(wanted))]
    return Evaluation(f"{run.root}@{wanted}", read_suite(run), samples)
