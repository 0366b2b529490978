"""docs/sandboxes.md says what limits, statuses and counters are; the defaults and words are those of the config."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path
from typing import get_args

import pytest

from rlpt.sandbox.protocol import ExecutionStatus, Limits
from rlpt.sandbox.warm import WarmSandbox


def rows(root: Path, heading: str) -> list[Sequence[str]]:
    """The cells of the first table below a heading, without its head."""
    section = (root / "docs" / "sandboxes.md").read_text().split(f"## {heading}\n")[1].split("\n## ")[0]
    lines = [line for line in section.splitlines() if line.startswith("|")]
    return [[cell.strip(" `") for cell in line.strip("|").split("|")] for line in lines[2:]]


@pytest.mark.parametrize("name", ["auto", "docker", "process"])
def test_the_limits_are_those_of_the_config(root: Path, name: str) -> None:
    text = (root / "conf" / "sandbox" / f"{name}.yaml").read_text().split("\nlimits:\n")[1]
    configured = [list(found) for found in re.findall(r"^  (\w+): (\S+) # (.*)$", text, re.MULTILINE)]
    assert rows(root, "Limits") == configured
    assert [row[0] for row in configured] == [field.name for field in fields(Limits)]


def test_the_statuses_are_those_of_the_protocol(root: Path) -> None:
    assert sorted(row[0] for row in rows(root, "Statuses")) == sorted(get_args(ExecutionStatus))


def test_the_counters_are_those_of_a_sandbox(root: Path, process: WarmSandbox) -> None:
    assert [row[0] for row in rows(root, "Counters")] == list(process.counters())
