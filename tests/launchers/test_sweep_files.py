"""sweeps/*.yaml: every value that a sweep definition names composes."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

SWEEPS = sorted(path.stem for path in (Path(__file__).resolve().parents[2] / "sweeps").glob("*.yaml"))


@pytest.mark.parametrize("sweep", SWEEPS)
def test_every_value_of_a_sweep_composes(sweep, rlpt):
    shown = rlpt("train", f"+sweep={sweep}", "--cfg", "hydra", "--package", "hydra.sweeper.params")
    assert shown.returncode == 0, shown.stderr
    params = yaml.safe_load(shown.stdout)
    assert params
    for key, values in params.items():
        for value in str(values).split(","):
            result = rlpt("train", f"+sweep={sweep}", f"{key}={value}", "--cfg", "job")
            assert result.returncode == 0, result.stderr


def test_a_cluster_profile_keeps_what_the_plugin_offers(rlpt):
    shown = rlpt(
        "train",
        "hydra/launcher=slurm_8gpu",
        "hydra.launcher.partition=big",
        "--cfg",
        "hydra",
        "--package",
        "hydra.launcher",
    )
    assert shown.returncode == 0, shown.stderr
    launcher = yaml.safe_load(shown.stdout)
    assert launcher["_target_"].endswith("SlurmLauncher")
    assert launcher["gpus_per_node"] == 8
    assert launcher["partition"] == "big"
