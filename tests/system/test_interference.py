"""Measuring interference at evaluations leaves training as it is, for real."""

from __future__ import annotations

from pathlib import Path

from safetensors.torch import load_file

from rlpt.run_dir import RunDir
from rlpt.tracking.lineage import read_lineage
from tests.system.conftest import CHEAP, metrics, only_run

SAME = (
    *CHEAP,
    "domain.arithmetic.weight=0",
    "mixture.tasks_per_step=8",
    "algorithm.group_size=8",
    "algorithm.optimizer.learning_rate=1e-3",
    "evaluation.every=1",
    "budget.steps=3",
    "serving.verify=false",
    "tracker=none",
)


def test_weights_are_the_same_with_and_without(rlpt, tmp_path) -> None:
    runs: dict[str, Path] = {}
    for measured in ("true", "false"):
        folder = tmp_path / measured
        folder.mkdir()
        result = rlpt("train", *SAME, f"evaluation.interference={measured}", cwd=folder)
        assert result.returncode == 0, result.stdout + result.stderr
        runs[measured] = only_run(folder)
    one, other = (load_file(RunDir(run).policy / "model.safetensors") for run in runs.values())
    assert one.keys() == other.keys()
    assert all(bool((one[name] == other[name]).all()) for name in one)
    with_it, without = (metrics(run) for run in runs.values())
    assert any("probe/python_functions/entropy" in line for line in with_it)
    assert not any(name.startswith(("probe/", "interference/")) for line in without for name in line)
    for line, alike in zip(with_it, without, strict=True):
        assert {name: alike.get(name) for name in line if name.startswith(("train/", "eval/", "rl/"))} == {
            name: line[name] for name in line if name.startswith(("train/", "eval/", "rl/"))
        }
    pairs = [line for line in with_it if "interference/python_functions/instructions" in line]
    recorded = [event for event in read_lineage(RunDir(runs["true"]).lineage) if event["event"] == "interference"]
    assert [event["step"] for event in recorded] == [line["rl/step"] for line in pairs]
    for event, line in zip(recorded, pairs, strict=True):
        assert (
            event["cosines"]["instructions"]["python_functions"] == (line["interference/python_functions/instructions"])
        )
