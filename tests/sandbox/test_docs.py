"""docs/sandboxes.md says what limits, statuses, fields and counters are, as the config does; its Python runs."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import fields
from pathlib import Path
from typing import get_args

import pytest

from rlpt.sandbox.process import why_not
from rlpt.sandbox.protocol import Execution, ExecutionStatus, Limits
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


def test_the_fields_are_those_of_an_execution(root: Path) -> None:
    named = [name for row in rows(root, "From Python") for name in re.findall(r"\w+", row[0])]
    assert named == [field.name for field in fields(Execution)]


@pytest.mark.parametrize(
    ("file", "package"), [("sandboxes", "rlpt.sandbox"), ("extending", "rlpt.verifiers.unit_tests")]
)
def test_the_python_runs(
    root: Path, tmp_path: Path, need: Callable[[str | None], None], file: str, package: str
) -> None:
    need(why_not())
    text = (root / "docs" / f"{file}.md").read_text()
    blocks = [block for block in re.findall(r"^```python\n(.*?)^```$", text, re.M | re.S) if f"from {package}" in block]
    assert len(blocks) == 1
    command = [sys.executable, "-c", blocks[0]]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=120)
    assert (done.returncode, done.stderr) == (0, "")
