"""A run whose policy breaks is noticed by its evaluations, and stops or goes back, for real."""

from __future__ import annotations

import json
from pathlib import Path

from rlpt.run_dir import RunDir
from rlpt.tracking.lineage import read_lineage
from tests.system.conftest import CHEAP, WITH_SIGNAL, metrics, only_run

BREAKING = (
    *CHEAP,
    *WITH_SIGNAL,
    "domain=[python_functions]",
    "evaluation.tasks_per_domain=128",
    "evaluation.every=1",
    "algorithm.optimizer.learning_rate=0.05",
    "algorithm.optimizer.warmup_steps=0",
    "tracker=none",
    "serving=none",
    "budget.steps=3",
)


def events(run: Path) -> list[tuple[int, str]]:
    return [(event["step"], event["event"]) for event in read_lineage(RunDir(run).lineage)]


def rewards(run: Path) -> list[float]:
    return [line["eval/python_functions/reward"] for line in metrics(run)]


def test_it_goes_back_to_the_last_good_policy_and_on_from_there(rlpt, tmp_path) -> None:
    # With a learning rate of 0 from then on, the policy that follows is exactly the one that it went back to.
    back = ("evaluation.on_regression=rollback", "evaluation.rollback.learning_rate=0")
    result = rlpt("train", *without_weights(BREAKING), *back)
    assert result.returncode == 0, result.stdout + result.stderr
    run = only_run(tmp_path)
    assert events(run) == [(step, "evaluation") for step in (0, 1)] + [(1, "rollback")] + [
        (step, "evaluation") for step in (2, 3)
    ]
    start, broken, again, last = rewards(run)
    assert broken < start
    assert again == last == start
    assert [line.get("rl/learning_rate") for line in metrics(run)][2:] == [0.0, 0.0]
    assert "The policy goes back to that of step 0." in result.stdout
    assert json.loads((run / "summary.json").read_text())["domains"]["python_functions"]["delta"] == 0.0


def test_it_stops(rlpt, tmp_path) -> None:
    result = rlpt("train", *without_weights(BREAKING), "evaluation.on_regression=stop")
    assert result.returncode == 0, result.stdout + result.stderr
    run = only_run(tmp_path)
    assert events(run) == [(0, "evaluation"), (1, "evaluation"), (1, "stop")]
    assert RunDir(run).checkpoint_steps() == [1]
    assert "python_functions" in result.stdout.split("worse than at step 0: ")[1].splitlines()[0]


def without_weights(overrides: tuple[str, ...]) -> list[str]:
    """Without those of domains that are not chosen."""
    return [one for one in overrides if ".weight=" not in one]
