"""`rlpt trace` as a user meets it: a process of its own on run directories, its sentences and its file."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from rlpt.run_dir import RunDir
from rlpt.tracking.local import LocalRecord

Rlpt = Callable[..., subprocess.CompletedProcess[str]]

HEAVY = ("torch", "vllm", "transformers", "lightning", "wandb", "docker", "submitit", "matplotlib")
PAIRS = {("victim", "culprit"): -0.6, ("victim", "rare"): -0.9, ("victim", "friend"): 0.5, ("culprit", "rare"): 0.0}


def make_run(
    folder: Path, outcome: str = "regressed", pairs: Mapping[tuple[str, str], float] = PAIRS, error: float = 0.05
) -> None:
    """20 steps of which the second half has more of the culprit, with an evaluation every five."""
    run = RunDir(folder)
    record = LocalRecord(run)
    run.config.write_text(f"name: {folder.name}\n")
    cosines: dict[str, dict[str, float]] = {}
    for (one, other), value in pairs.items():
        cosines.setdefault(one, {})[other] = cosines.setdefault(other, {})[one] = value
    errors = {one: dict.fromkeys(row, error) for one, row in cosines.items()}
    for step in range(21):
        late = step > 10
        shares = {"victim": 0.1, "culprit": 0.6 if late else 0.1, "rare": 0.05, "friend": 0.25 if late else 0.75}
        if step:
            metrics = {f"train/{name}/{kind}_share": x for name, x in shares.items() for kind in ("task", "signal")}
            metrics |= {f"train/{name}/length": 20.0 + step % 3 + 30.0 * late * (name == "victim") for name in shares}
            record.log(step, metrics)
        if step % 5 == 0:
            if step and cosines:
                record.lineage.add(step, "interference", {"cosines": cosines, "errors": errors})
            verdict = {"outcome": outcome if step >= 15 else "unchanged", "before": 0.6, "after": 0.4}
            record.lineage.add(step, "evaluation", {"domains": {"victim": verdict}} if step else {})
    record.close()


@pytest.fixture
def run(tmp_path: Path) -> Path:
    make_run(tmp_path / "run")
    return tmp_path / "run"


def traced(folder: Path) -> dict[str, Any]:
    (found,) = json.loads((folder / "t.json").read_text())["traced"]
    return found


def one_sentence(result: subprocess.CompletedProcess[str]) -> str:
    assert result.returncode == 2, result.stderr
    assert result.stdout == ""
    (line,) = result.stderr.strip().splitlines()
    assert line.startswith("rlpt: ")
    return line


def test_the_first_line_names_steps_and_culprit(rlpt: Rlpt, run: Path, tmp_path: Path) -> None:
    """Not the one with the lowest cosine: that one has hardly any part in the updates."""
    result = rlpt("trace", "run", "json=t.json")
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout.splitlines()[0] == (
        "victim regressed between step 10 and 15 (0.60 -> 0.40); most likely because of culprit "
        "(cosine -0.60 +- 0.05, share 0.10 -> 0.60)."
    )
    assert max(map(len, result.stdout.splitlines()[1:])) <= 110
    found = traced(tmp_path)
    assert (found["culprit"], found["good"], found["bad"], found["last"]) == ("culprit", 10, 15, 20)
    assert [one["domain"] for one in found["accused"]] == ["culprit", "rare", "friend"]
    assert [one["clear"] for one in found["accused"]] == [True, True, False]
    changed = {(one["domain"], one["metric"]): one for one in found["changes"]}
    assert changed["victim", "length"]["size"] > 10.0
    assert (changed["culprit", "task_share"]["before"], changed["culprit", "task_share"]["after"]) == (0.1, 0.6)
    assert "victim length" in result.stdout
    assert "friend length" not in result.stdout, "it varies from step to step and did not change"


def test_chance_accuses_nobody(rlpt: Rlpt, tmp_path: Path) -> None:
    make_run(tmp_path / "run", error=0.5)
    result = rlpt("trace", "run", "json=t.json")
    assert result.stdout.splitlines()[0].endswith("; no other domain's updates clearly worked against it.")
    assert traced(tmp_path)["culprit"] is None


def test_a_run_that_measured_no_interference_still_says_what_changed(rlpt: Rlpt, tmp_path: Path) -> None:
    make_run(tmp_path / "run", pairs={})
    result = rlpt("trace", "run")
    assert "the interference of other domains was not recorded" in result.stdout.splitlines()[0]
    assert "victim length" in result.stdout


def test_where_nothing_regressed_it_says_so_and_shows_the_cosines(rlpt: Rlpt, tmp_path: Path) -> None:
    make_run(tmp_path / "run", outcome="unchanged")
    result = rlpt("trace", "run", "json=t.json")
    assert result.returncode == 0
    assert result.stdout.splitlines()[0] == "No domain regressed (evaluations that were compared: 4)."
    assert "-0.60 +- 0.05" in result.stdout
    assert json.loads((tmp_path / "t.json").read_text())["interference"]["cosines"]["culprit"]["victim"] == -0.6
    named = rlpt("trace", "run", "domain=victim").stdout
    assert named.startswith("victim did not regress between step 0 and 20")


def test_a_regression_is_found_by_each_evaluation_that_saw_it(rlpt: Rlpt, run: Path) -> None:
    for step in (15, 20):
        assert "between step 10 and 15" in rlpt("trace", "run", f"step={step}").stdout


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["run", "step=10"], "No regression was seen after step 10; there were some after step 15."),
        (["run", "domain=friend", "step=15"], "No regression of friend was seen after step 15; there was none"),
        (["run", "domain=nobody"], "has no domain nobody; it has: victim, culprit, rare, friend"),
        (["run", "step=late"], "step takes a whole number"),
        (["run", "domian=victim"], "did you mean domain=?"),
        (["run", "json="], "write json=trace.json"),
        (["run", "json=no/t.json"], "there is no folder no"),
        (["run", "run"], "takes one run directory"),
        (["domain=victim"], "takes one run directory"),
        (["nowhere"], "There is no run at nowhere"),
        (["bare"], "has no lineage.jsonl"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_what_cannot_be_traced_is_one_plain_sentence(
    rlpt: Rlpt, run: Path, tmp_path: Path, arguments: list[str], expected: str
) -> None:
    (tmp_path / "bare").mkdir()
    (tmp_path / "bare" / "config.yaml").write_text("name: bare\n")
    assert expected in one_sentence(rlpt("trace", *arguments))


def test_nothing_heavy_is_imported(run: Path) -> None:
    program = (
        "import sys; from rlpt.cli import main; code = main(['trace', 'run', 'json=t.json']);"
        f"print(code, sorted(set({HEAVY!r}) & set(sys.modules)), file=sys.stderr)"
    )
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=run.parent, check=True)
    assert result.stderr.strip() == "0 []"


def test_help(rlpt: Rlpt) -> None:
    for arguments in ([], ["--help"]):
        result = rlpt("trace", *arguments)
        assert result.returncode == 0
        assert all(word in result.stdout for word in ("domain", "step", "json", "against"))
        assert max(map(len, result.stdout.splitlines())) <= 100
