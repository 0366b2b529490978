"""`rlpt compare` as a user meets it: a process of its own on run directories, its files and its exit code."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from rlpt.evaluation.sample import Sample
from rlpt.evaluation.store import record_suite
from rlpt.evaluation.suite import domain_suite
from rlpt.records import Task
from rlpt.run_dir import RunDir
from rlpt.tracking.local import LocalRecord

Rlpt = Callable[..., subprocess.CompletedProcess[str]]

HEAVY = ("torch", "vllm", "transformers", "lightning", "wandb", "docker", "submitit", "matplotlib")


def make_run(folder: Path, solved: int, tasks: int = 40) -> None:
    """A run that solves no task at the start and `solved` of them after step 2."""
    run = RunDir(folder)
    record = LocalRecord(run)
    run.config.write_text(f"name: {folder.name}\n")
    run.overrides.write_text(f"- name={folder.name}\n")
    names = [f"t{number}" for number in range(tasks)]
    record_suite(run, {"code": domain_suite("test", [Task("code", name, [], {}) for name in names])})
    for step in (0, 2):
        rewards = [float(step > 0 and number < solved) for number in range(tasks)]
        rows = [
            Sample("code", name, 0, "user: ?", "text", reward, "correct" if reward else "wrong").to_json()
            for name, reward in zip(names, rewards, strict=True)
        ]
        record.evaluation(step, rows)
        record.log(step, {"eval/code/reward": sum(rewards) / tasks})
    record.close()


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    make_run(tmp_path / "good", 30)
    make_run(tmp_path / "bad", 10)
    return tmp_path


def one_sentence(result: subprocess.CompletedProcess[str]) -> str:
    assert result.returncode == 2, result.stderr
    assert result.stdout == ""
    lines = result.stderr.strip().splitlines()
    assert len(lines) == 1, result.stderr
    assert lines[0].startswith("rlpt: ")
    return lines[0]


def test_the_exit_code_says_whether_the_candidate_regressed(rlpt: Rlpt, runs: Path) -> None:
    worse = rlpt("compare", "bad", "good")
    assert (worse.returncode, worse.stderr) == (3, "")
    assert "Regressed in code." in worse.stdout
    assert rlpt("compare", "good", "bad").returncode == 0
    assert rlpt("compare", "good@last", "good@0").returncode == 0
    assert rlpt("compare", "good@0", "good").returncode == 3


def test_files_hold_the_report(rlpt: Rlpt, runs: Path) -> None:
    result = rlpt("compare", "bad", "good", "html=r.html", "--json=r.json", "n=0")
    assert result.returncode == 3
    assert result.stdout.splitlines()[-1] == "Written: r.html, r.json"
    assert "-- lost" not in result.stdout
    assert (runs / "r.html").read_text().startswith("<!DOCTYPE html>")
    assert json.loads((runs / "r.json").read_text())["regressed"] is True


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["good"], "write rlpt compare good good@0"),
        (["html=r.html"], "--help"),
        (["good", "bad@3"], "no evaluation at step 3; it has: 0, 2"),
        (["good", "bad@first"], "names no step of a run"),
        (["good", "nowhere"], "There is no run at nowhere"),
        (["good", "model"], "rlpt eval policy=model"),
        (["good", "fewer"], "cannot be compared: their evaluations of code differ in the tasks"),
        (["good", "bad", "jsn=r.json"], "did you mean json=?"),
        (["good", "bad", "html="], "html=report.html"),
        (["good", "bad", "html"], "html=report.html"),
        (["good", "bad", "n=few"], "n takes a whole number"),
        (["good", "bad", "html=no/r.html"], "there is no folder no"),
        (["good", "bad", "html=r", "json=r"], "name two files"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_what_cannot_be_compared_is_one_plain_sentence(
    rlpt: Rlpt, runs: Path, arguments: list[str], expected: str
) -> None:
    (runs / "model").mkdir()
    (runs / "model" / "config.json").write_text("{}")
    make_run(runs / "fewer", 5, tasks=20)
    before = sorted(runs.iterdir())
    assert expected in one_sentence(rlpt("compare", *arguments))
    assert sorted(runs.iterdir()) == before


def test_runs_of_a_sweep_have_equals_signs_in_their_names(rlpt: Rlpt, runs: Path) -> None:
    make_run(runs / "0_algorithm=rloo", 30)
    assert rlpt("compare", "0_algorithm=rloo@2", "0_algorithm=rloo").returncode == 0
    assert "0_algorithm=rloo@2  candidate" in rlpt("compare", "0_algorithm=rloo", "bad").stdout


def test_help_says_what_can_be_compared(rlpt: Rlpt) -> None:
    for arguments in ([], ["--help"]):
        result = rlpt("compare", *arguments)
        assert result.returncode == 0
        assert all(word in result.stdout for word in ("RUN@0", "html=FILE", "exit code", "rlpt eval"))
        assert max(map(len, result.stdout.splitlines())) <= 100


def test_nothing_heavy_is_imported(runs: Path) -> None:
    program = (
        "import sys; from rlpt.cli import main; code = main(['compare', 'bad', 'good', 'html=r.html']);"
        f"print(code, sorted(set({HEAVY!r}) & set(sys.modules)), file=sys.stderr)"
    )
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=runs, check=True)
    assert result.stderr.strip() == "3 []"
