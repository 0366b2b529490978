"""docs/tracking.md: its commands are taken, and what it names is there."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from rlpt.commands.wandb import OPTIONS
from rlpt.config.preflight import compose_config


@pytest.fixture(scope="module")
def page(root: Path) -> str:
    return (root / "docs" / "tracking.md").read_text()


def test_the_commands_compose(page: str) -> None:
    lines = [line.partition("#")[0] for line in page.splitlines() if line.startswith("rlpt train")]
    assert len(lines) == 4
    chosen = [compose_config("train", shlex.split(line)[2:]).tracker for line in lines]
    assert [str(tracker["_target_"]).rpartition(".")[2] for tracker in chosen] == [
        "WandbTracker",
        "WandbTracker",
        "TensorBoardTracker",
        "NoTracker",
    ]
    assert (chosen[1].project, chosen[1].entity) == ("math", "my-team")


def test_options_and_settings_exist(page: str) -> None:
    for part, options in OPTIONS.items():
        assert f"rlpt wandb {part} " in page
        assert all(f"`{name}=" in page or f"[{name}=" in page for name in options)
    tracker = compose_config("train").tracker
    named = set(re.findall(r"`tracker\.(\w+)", page))
    assert named <= set(tracker)
    assert {"project", "entity", "group", "samples_per_step", "weights"} <= named
    for value in re.findall(r"`tracker\.weights=(\w+)`", page):
        assert compose_config("train", [f"tracker.weights={value}"]).tracker.weights == value
