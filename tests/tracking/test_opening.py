"""What a tracker is told of a run."""

from __future__ import annotations

from pathlib import Path

from rlpt.commands.job import chosen_options
from rlpt.config.record import save
from rlpt.config.resolve import frozen
from rlpt.run_dir import RunDir
from rlpt.tracking.opening import read_choices, run_info, run_tags

CHOICES = {
    "algorithm": "dapo",
    "algorithm/loss": "clipped_ratio",
    "hardware": "cpu",
    "verifier@domain.a.verifier": "math",
    "verifier@domain.b.verifier": "math",
    "tracker": "wandb",
}


def test_tags_are_what_is_written_on_the_command_line() -> None:
    tags = ["policy=tiny", "domain=a", "domain=b", "algorithm=dapo", "hardware=cpu", "verifier=math"]
    assert run_tags("tiny", ["a", "b"], CHOICES) == tags
    assert run_tags("Qwen/Qwen3-0.6B", [], {}) == ["policy=Qwen/Qwen3-0.6B"]
    assert run_tags("/models/long/path/mine", [], {}) == ["policy=mine"]


def test_the_choices_of_a_run_are_recorded_and_read(tmp_path: Path) -> None:
    hydra = {**CHOICES, "experiment": None, "hydra/launcher": "basic"}
    config = {"name": "n", "policy": {"name": "tiny"}, "domain": {"a": {}}}
    save(tmp_path, frozen(config), [], chosen_options(hydra))
    info = run_info(RunDir(tmp_path), config, "train", start_step=5)
    assert info.choices == CHOICES
    assert (info.name, info.job_type, info.start_step) == ("n", "train", 5)
    assert "algorithm=dapo" in info.tags
    assert read_choices(RunDir(tmp_path / "older")) == {}
