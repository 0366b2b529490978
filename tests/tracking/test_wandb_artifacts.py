"""Alerts and artifacts of an offline run, read with W&B's own inspection."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from rlpt.run_dir import RunDir
from rlpt.tracking.artifacts import made_by, policy_artifact, run_inputs
from rlpt.tracking.protocol import RunInfo
from rlpt.tracking.recorder import Recorder
from rlpt.tracking.wandb import WandbTracker
from rlpt.tracking.wandb_session import known_run_id
from tests.tracking.offline import inspect, of_type, offline_folders

pytestmark = pytest.mark.usefixtures("no_account")

SUITE = {"arithmetic": {"identity": "default-1f0c94be", "split": "test", "tasks": 8, "fingerprint": "f" * 64}}


@pytest.fixture
def make_run(tmp_path: Path) -> Callable[[str], RunDir]:
    def make(name: str) -> RunDir:
        run = RunDir(tmp_path / name)
        for folder in (run.checkpoint(1), run.policy, run.suite.parent):
            folder.mkdir(parents=True)
        run.config.write_text("seed: 0\n")
        run.suite.write_text(json.dumps(SUITE))
        (run.checkpoint(1) / "weights.bin").write_bytes(b"w" * 1000)
        (run.policy / "model.safetensors").write_bytes(b"p" * 500)
        return run

    return make


def record(run: RunDir, **options: Any) -> Recorder:
    return Recorder(RunInfo(run.root, "n", {"domain": {"arithmetic": {}}}), lambda info: WandbTracker(info, **options))


def sent(run: RunDir, kind: str) -> list[dict[str, Any]]:
    return [one for folder in offline_folders(run.root) for one in of_type(inspect(folder), kind)]


def artifacts(run: RunDir) -> dict[str, dict[str, Any]]:
    """By type."""
    return {one["type"]: one for one in sent(run, "artifact")}


def files(artifact: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """By path."""
    return {one["path"]: one for one in artifact["manifest"]["contents"]}


def test_what_a_run_was_made_with_are_inputs_and_what_it_made_outputs(make_run: Callable[[str], RunDir]) -> None:
    run = make_run("one")
    recorder = record(run)
    for artifact in run_inputs(run):
        recorder.artifact(0, artifact)
    recorder.log(1, {"x": 1.0})
    recorder.local.lineage.add(1, "checkpoint")
    recorder.artifact(1, policy_artifact(run, 1))
    recorder.finish(0)

    assert recorder.tracker.failures == 0
    found, identity = artifacts(run), known_run_id(run)
    assert {kind: one["name"] for kind, one in found.items()} == {
        "config": f"config-{identity}",
        "suite": "suite-arithmetic",
        "checkpoint": f"checkpoint-{identity}",
        "policy": f"policy-{identity}",
    }
    assert {kind for kind, one in found.items() if one.get("use_after_commit")} == {"config", "suite"}
    assert "default-1f0c94be" in found["suite"]["aliases"]
    assert "step-00001" in found["checkpoint"]["aliases"]
    weights = files(found["checkpoint"])["weights.bin"]
    assert weights["ref"] == (run.checkpoint(1) / "weights.bin").as_uri()
    assert weights["size"] == "1000"
    assert "local_path" not in weights, "nothing of it is uploaded"
    assert Path(files(found["config"])["config.yaml"]["local_path"]).read_text() == "seed: 0\n"
    assert json.loads(Path(files(found["suite"])["suite.json"]["local_path"]).read_text()) == SUITE["arithmetic"]


def test_weights_can_be_uploaded_or_left_out(make_run: Callable[[str], RunDir]) -> None:
    uploaded, without = make_run("uploaded"), make_run("without")
    for run, weights in ((uploaded, "upload"), (without, "none")):
        recorder = record(run, weights=weights)
        recorder.log(1, {"x": 1.0})
        recorder.local.lineage.add(1, "checkpoint")
        shutil.rmtree(run.checkpoint(1))  # as the run does with old ones
        recorder.finish(0)
        assert recorder.tracker.failures == 0
    copied = files(artifacts(uploaded)["checkpoint"])["weights.bin"]
    assert Path(copied["local_path"]).read_bytes() == b"w" * 1000
    assert artifacts(without) == {}


def test_a_run_that_starts_from_the_policy_of_another_uses_its_version(make_run: Callable[[str], RunDir]) -> None:
    first, second = make_run("first"), make_run("second")
    recorder = record(first)
    recorder.log(1, {"x": 1.0})
    recorder.artifact(1, policy_artifact(first, 1))
    recorder.finish(0)
    recorder = record(second)
    for artifact in run_inputs(second, first.policy):
        recorder.artifact(0, artifact)
    recorder.finish(0)
    made, used = artifacts(first)["policy"], artifacts(second)["policy"]
    assert not made.get("use_after_commit")
    assert used["use_after_commit"]
    assert (used["name"], used["digest"]) == (made["name"], made["digest"])


def test_the_maker_of_a_policy_is_found_by_its_folder(make_run: Callable[[str], RunDir], tmp_path: Path) -> None:
    run = make_run("one")
    assert made_by(run.policy) == made_by(run.root) == run
    assert made_by(run.checkpoints) is None
    assert made_by(tmp_path) is None
    nobody = record(make_run("two"))
    nobody.artifact(0, policy_artifact(run, used=True))  # its run never was at W&B
    nobody.finish(0)
    assert nobody.tracker.failures == 0
    assert known_run_id(run) is None


def test_a_regression_is_an_alert_with_the_domains_and_figures(make_run: Callable[[str], RunDir]) -> None:
    run = make_run("one")
    recorder = record(run)
    figures = {"before": 0.5, "after": 0.25, "delta": -0.25, "low": -0.4, "high": -0.1, "confidence": 0.95, "n": 64}
    verdicts = {"code": {"outcome": "regressed", **figures}, "math": {"outcome": "improved", **figures}}
    recorder.log(20, {"x": 1.0})
    recorder.local.lineage.add(20, "evaluation", {"reference": "step 0", "domains": verdicts})
    recorder.local.lineage.add(20, "warn")
    recorder.local.lineage.add(40, "evaluation", {"reference": "step 0", "domains": {"math": verdicts["math"]}})
    recorder.finish(0)
    (alert,) = sent(run, "alert")
    assert alert["title"] == "Regression after step 20: code"
    assert alert["level"] == "WARN"
    assert alert["text"].splitlines() == [
        "Compared with step 0, task by task:",
        "- code: 0.500 to 0.250 (-0.250, 95 % interval -0.400 to -0.100, 64 tasks)",
    ]
