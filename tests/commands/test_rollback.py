"""`rlpt rollback` as a user meets it: a process of its own on a run directory."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from rlpt.run_dir import RunDir
from rlpt.tracking.lineage import Lineage, read_lineage

Rlpt = Callable[..., subprocess.CompletedProcess[str]]

HEAVY = ("torch", "vllm", "transformers", "lightning", "wandb", "docker", "submitit", "matplotlib")
CONFIG = {
    "domain": {"code": {"weight": 1.0}, "math": {"weight": 3.0}},
    "evaluation": {"rollback": {"most": 2, "learning_rate": 0.5, "share": 0.5, "new_seed": True}},
}

MEASURED = {
    "cosines": {"code": {"math": -0.4}, "math": {"code": -0.4}},
    "errors": {"code": {"math": 0.05}, "math": {"code": 0.05}},
}


def state(step: int) -> dict[str, Any]:
    own = {"updates": step, "taken": step, "moments": [float(step)], "unfinished": [f"of {step}"]}
    return {"step": step, "learning_rate_scale": 1.0, "turns": [], "meter": {"steps": step}, "rollbacks": [], **own}


def verdicts(**outcomes: str) -> dict[str, Any]:
    return {
        "reference": "step 0",
        "domains": {name: {"outcome": word, "delta": -0.1} for name, word in outcomes.items()},
    }


@pytest.fixture
def run(tmp_path: Path) -> RunDir:
    """A run that was good at step 10, did worse in code at 15 and 20, and stands at 20 with an exported policy."""
    run = RunDir(tmp_path / "run")
    for step in (5, 10, 15, 20):
        run.checkpoint(step).mkdir(parents=True)
        (run.checkpoint(step) / "state.json").write_text(json.dumps(state(step)))
        (run.checkpoint(step) / "weights").write_text(f"weights of {step}")
    run.config.write_text(yaml.safe_dump(CONFIG))
    run.policy.mkdir()
    (run.policy / "config.json").write_text("{}")
    lineage = Lineage(run.lineage)
    lineage.add(0, "evaluation")
    lineage.add(10, "evaluation", verdicts(code="unchanged", math="improved"))
    for step in (15, 20):
        lineage.add(step, "interference", MEASURED)
        lineage.add(step, "evaluation", verdicts(code="regressed", math="improved"))
        lineage.add(step, "warn")
    return run


def one_sentence(result: subprocess.CompletedProcess[str]) -> str:
    assert result.returncode == 2, result.stderr
    assert result.stdout == ""
    (line,) = result.stderr.strip().splitlines()
    assert line.startswith("rlpt: ")
    return line


def newest(run: RunDir) -> dict[str, Any]:
    return json.loads((run.checkpoint(run.checkpoint_steps()[-1]) / "state.json").read_text())


def test_it_goes_back_to_the_last_good_policy_and_steps_go_on_counting(rlpt: Rlpt, run: RunDir) -> None:
    result = rlpt("rollback", "run")
    assert result.returncode == 0, result.stderr
    assert run.checkpoint_steps() == [5, 10, 15, 20]
    assert (run.checkpoint(20) / "weights").read_text() == "weights of 10"
    found = newest(run)
    assert (found["step"], found["meter"]) == (20, {"steps": 20})
    assert (found["updates"], found["taken"], found["moments"], found["unfinished"]) == (10, 10, [10.0], ["of 10"])
    assert found["learning_rate_scale"] == 0.5
    assert found["turns"] == [{"taken": 10, "factors": {"math": 0.5}, "reseeds": 1}]
    event = read_lineage(run.lineage)[-1]
    assert (event["step"], event["event"], event["to"], event["by"]) == (20, "rollback", 10, "hand")
    assert event["suspects"] == ["math"]
    assert event["shares"] == {"before": {"code": 0.25, "math": 0.75}, "after": {"code": 0.4, "math": 0.6}}
    assert "math 75% -> 60% (suspects: math)" in result.stdout


def test_nothing_is_lost(rlpt: Rlpt, run: RunDir) -> None:
    rlpt("rollback", "run")
    assert (run.checkpoints / "step-00020.before-rollback" / "weights").read_text() == "weights of 20"
    assert not run.policy.exists(), "nobody may take the regressed policy for the run's"
    assert (run.root / "policy.before-rollback" / "config.json").is_file()
    result = rlpt("rollback", "run", "step=5")
    assert result.returncode == 0, result.stderr
    assert (run.checkpoints / "step-00020.before-rollback-2" / "weights").read_text() == "weights of 10"
    assert (run.checkpoint(20) / "weights").read_text() == "weights of 5"
    assert [done["to"] for done in newest(run)["rollbacks"]] == [10, 5]
    assert newest(run)["learning_rate_scale"] == 0.25


def test_what_changes_can_be_given(rlpt: Rlpt, run: RunDir) -> None:
    changes = ("learning_rate=0.1", "share=1", "new_seed=false")
    result = rlpt("rollback", "run", "step=15", *(f"evaluation.rollback.{change}" for change in changes))
    assert result.returncode == 0, result.stderr
    found = newest(run)
    assert (found["learning_rate_scale"], found["taken"]) == (0.1, 15)
    assert found["turns"][0]["reseeds"] == 0
    assert read_lineage(run.lineage)[-1]["shares"]["after"] == {"code": 0.25, "math": 0.75}
    rlpt("rollback", "run", "step=10", "suspects=code")
    assert newest(run)["turns"][-1]["factors"]["code"] == 0.5


def test_without_measurements_shares_stay(rlpt: Rlpt, run: RunDir) -> None:
    events = [event for event in read_lineage(run.lineage) if event["event"] != "interference"]
    run.lineage.write_text("".join(json.dumps(event) + "\n" for event in events))
    result = rlpt("rollback", "run")
    assert "Shares stay: whose updates did harm was not measured." in result.stdout
    assert read_lineage(run.lineage)[-1]["suspects"] is None
    assert newest(run)["turns"][-1]["factors"] == {}


def test_the_lineage_can_be_read_alone(rlpt: Rlpt, run: RunDir) -> None:
    before = newest(run)
    result = rlpt("rollback", "run", "list=true")
    assert result.returncode == 0, result.stderr
    lines = result.stdout.splitlines()
    assert len(lines) == 1 + len(read_lineage(run.lineage))
    assert "  15  evaluation    beside step 0: code regressed (-0.10), math improved (-0.10)" in lines
    assert newest(run) == before


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["run", "step=7"], "no checkpoint of step 7; it has those of 5, 10, 15, 20"),
        (["run", "step=20"], "stands at step 20 already"),
        (["run", "step=last"], "step takes a whole number"),
        (["run", "stp=5"], "did you mean step=?"),
        (["run", "evaluation.rollback.share=2"], "between 0 and 1"),
        (["run", "evaluation.rollback.new_seed=maybe"], "true or false"),
        (["run", "algorithm.group_size=4"], "rlpt rollback has no option 'algorithm.group_size'"),
        (["run", "suspects=chess"], "no such domain; it has code, math"),
        (["nowhere"], "There is no run at nowhere"),
        (["run", "run"], "takes one run directory and 2 were given"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_what_cannot_be_is_one_plain_sentence(rlpt: Rlpt, run: RunDir, arguments: list[str], expected: str) -> None:
    before = newest(run), read_lineage(run.lineage), sorted(run.checkpoints.iterdir())
    assert expected in one_sentence(rlpt("rollback", *arguments))
    assert (newest(run), read_lineage(run.lineage), sorted(run.checkpoints.iterdir())) == before


def test_without_a_step_there_must_be_a_last_good_one(rlpt: Rlpt, run: RunDir) -> None:
    rlpt("rollback", "run")
    assert "has gone back to step 10 and not gone on since" in one_sentence(rlpt("rollback", "run"))
    Lineage(run.lineage).add(20, "evaluation", verdicts(code="unchanged"))
    said = one_sentence(rlpt("rollback", "run"))
    assert "(step 20) saw no regression; name an earlier checkpoint with step=, of 5, 10, 15" in said
    run.lineage.write_text('{"step": 0, "event": "start"}\n')
    assert "has no evaluation that says which policy was good" in one_sentence(rlpt("rollback", "run"))


def test_a_run_that_is_still_running_is_left_alone(rlpt: Rlpt, run: RunDir) -> None:
    program = (
        "from pathlib import Path; from rlpt.run_dir import RunDir; from rlpt.run_lock import holding\n"
        "with holding(RunDir(Path('run'))): print('held', flush=True); input()"
    )
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen([sys.executable, "-c", program], cwd=run.root.parent, text=True, **pipes) as running:
        assert running.stdout is not None
        assert running.stdout.readline() == "held\n"
        assert "is still running" in one_sentence(rlpt("rollback", "run"))
        running.kill()
    assert rlpt("rollback", "run").returncode == 0, "a run that was killed holds nothing"


def test_help_and_nothing_heavy(rlpt: Rlpt, run: RunDir) -> None:
    result = rlpt("rollback", "--help")
    assert result.returncode == 0
    assert max(map(len, result.stdout.splitlines())) <= 100
    program = (
        "import sys; from rlpt.cli import main; code = main(['rollback', 'run']);"
        f"print(code, sorted(set({HEAVY!r}) & set(sys.modules)), file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, cwd=run.root.parent, check=True
    )
    assert done.stderr.strip() == "0 []"
