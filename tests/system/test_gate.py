"""A run whose policy breaks is noticed by its evaluations, and stops or goes back, for real."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from rlpt.assembly import build_mixture, load_domains, model_folder
from rlpt.config.paths import conf_dir
from rlpt.config.preflight import compose_config
from rlpt.config.record import recorded_config
from rlpt.config.resolve import as_dict, frozen, resolved
from rlpt.domains.mixture import Turn
from rlpt.run_dir import RunDir
from rlpt.tracking.lineage import Lineage, read_lineage
from rlpt.tracking.local import read_rollouts
from rlpt.training.states import newest_state
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
    found = [(event["step"], event["event"]) for event in read_lineage(RunDir(run).lineage)]
    return [pair for pair in found if pair[1] != "checkpoint"]


def rewards(run: Path) -> list[float]:
    return [line["eval/python_functions/reward"] for line in metrics(run)]


def test_it_goes_back_to_the_last_good_policy_and_on_from_there(rlpt, tmp_path) -> None:
    # With a learning rate of 0 from then on, the policy that follows is exactly the one that it went back to.
    back = ("evaluation.on_regression=rollback", "evaluation.rollback.learning_rate=0")
    result = rlpt("train", *without_weights(BREAKING), *back)
    assert result.returncode == 0, result.stdout + result.stderr
    run = only_run(tmp_path)
    assert events(run) == [
        (0, "start"),
        (0, "evaluation"),
        (1, "evaluation"),
        (1, "rollback"),
        (2, "evaluation"),
        (3, "evaluation"),
        (3, "end"),
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
    assert events(run) == [(0, "start"), (0, "evaluation"), (1, "evaluation"), (1, "stop"), (1, "end")]
    assert RunDir(run).checkpoint_steps() == [1]
    assert "python_functions" in result.stdout.split("worse than at step 0: ")[1].splitlines()[0]


# The last change before a rollback is on disk: it is decided and nothing has come of it.
KILLED = """
import os, signal, sys
import rlpt.training.gate as gate
gate.go_back = lambda *unused: os.kill(os.getpid(), signal.SIGKILL)
from rlpt.cli import main
main(sys.argv[1:])
"""


def test_killed_before_it_goes_back_and_taken_back_by_hand(rlpt, tmp_path) -> None:
    file = tmp_path / "own" / "domain" / "again.yaml"
    file.parent.mkdir(parents=True)
    file.write_text(
        (conf_dir() / "domain" / "python_functions.yaml").read_text().replace("python_functions\n", "again\n")
    )
    searched = f"hydra.searchpath=[file://{tmp_path}/own]"
    one = frozen(as_dict(resolved(compose_config("train", ["policy=tiny", "domain=[python_functions]"]))))
    warm = model_folder(one, load_domains(one))  # one that two domains share, without a warm start of its own
    policy = ("policy=hf", f"policy.path={warm}", "policy.context_length=256", "policy.dtype=float32")
    two = (searched, *policy, "domain=[python_functions,again]", "evaluation.on_regression=rollback")
    still = ("evaluation.rollback.learning_rate=0", "serving=folder", "serving.verify=false")
    arguments = ["train", *without_weights(BREAKING), *two, *still, "budget.steps=2"]
    killed = subprocess.run([sys.executable, "-c", KILLED, *arguments], cwd=tmp_path, env=os.environ, check=False)
    assert killed.returncode == -9
    run = RunDir(only_run(tmp_path))
    assert (1, "rollback") not in events(run.root)
    assert (1, "evaluation") in events(run.root)
    # As if it had been measured: two domains of the same tasks work for each other.
    accused = {"python_functions": {"again": -0.5}, "again": {"python_functions": 0.5}}
    errors = {"python_functions": {"again": 0.1}, "again": {"python_functions": 0.1}}
    Lineage(run.lineage).add(1, "interference", {"cosines": accused, "errors": errors})

    result = rlpt("train", f"resume={run.root}")
    assert result.returncode == 0, result.stdout + result.stderr
    (back,) = (event for event in read_lineage(run.lineage) if event["event"] == "rollback")
    assert (back["step"], back["to"], back["suspects"]) == (1, 0, ["again"])
    assert "again 50% -> 33%" in result.stdout
    assert rewards(run.root)[0] == rewards(run.root)[2], "the policy is that of the start again"
    assert taken(run, 2) == wanted(run, 1, [Turn(0, {"again": 0.5}, 1)])

    result = rlpt("rollback", str(run.root), "step=1", "suspects=python_functions", "evaluation.rollback.share=0")
    assert result.returncode == 0, result.stdout + result.stderr
    assert not run.policy.exists()
    result = rlpt("train", f"resume={run.root}", "budget.steps=3")
    assert result.returncode == 0, result.stdout + result.stderr
    assert [line["rl/step"] for line in metrics(run.root)] == [0, 1, 2, 3]
    turns = [Turn(0, {"again": 0.5}, 1), Turn(0, {"again": 0.5, "python_functions": 0.0}, 2)]
    assert taken(run, 3) == wanted(run, 1, turns)
    assert {name.partition(":")[0] for name in taken(run, 3)} == {"again"}
    assert [(done["step"], done["by"]) for done in (newest_state(run) or {})["rollbacks"]] == [(1, "gate"), (2, "hand")]
    assert (run.policy / "model.safetensors").is_file()


def taken(run: RunDir, step: int) -> list[str]:
    return [f"{group.task.domain}:{group.task.task_id}" for group, _ in read_rollouts(run.rollouts(step))]


def wanted(run: RunDir, number: int, turns: Sequence[Turn]) -> list[str]:
    cfg = frozen(recorded_config(run.root))
    return [f"{task.domain}:{task.task_id}" for task in build_mixture(cfg, load_domains(cfg)).take(number, turns)]


def without_weights(overrides: tuple[str, ...]) -> list[str]:
    """Without those of domains that are not chosen."""
    return [one for one in overrides if ".weight=" not in one]
