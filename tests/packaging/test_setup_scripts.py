"""What `make install` and the scripts beneath it say when the machine or the user gives them something wrong."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest


@pytest.fixture
def checkout(root: Path, tmp_path: Path) -> Path:
    """A copy of what `make install` needs, so that no test touches the real environment."""
    for name in ("Makefile", "pyproject.toml"):
        shutil.copy(root / name, tmp_path / name)
    shutil.copytree(root / "launchers", tmp_path / "launchers")
    return tmp_path


def make(checkout: Path, *arguments: str, path: str | None = None) -> subprocess.CompletedProcess[str]:
    # These tests run under `make test` too: what an outer make hands down is not what a user's shell holds.
    given = ("PYTHON", "ENGINE", "TORCH_INDEX", "MAKELEVEL", "MAKEFLAGS", "MFLAGS", "MAKEOVERRIDES")
    env = {name: value for name, value in os.environ.items() if name not in given}
    if path is not None:
        env["PATH"] = path
    make_command = shutil.which("make")
    assert make_command is not None
    return subprocess.run(
        [make_command, *arguments], cwd=checkout, env=env, capture_output=True, text=True, check=False, timeout=60
    )


def assert_one_sentence(result: subprocess.CompletedProcess[str], *words: str) -> None:
    assert result.returncode != 0
    said = [line for line in result.stderr.splitlines() if not line.startswith("make: ***")]
    assert len(said) == 1, result.stderr
    for word in words:
        assert word in said[0]


def test_help_names_every_target(checkout: Path) -> None:
    result = make(checkout)
    assert result.returncode == 0
    for target in ("quickstart", "install", "test", "lint", "bench", "sandbox-image", "clean"):
        assert f"make {target} " in result.stdout


def test_a_python_that_does_not_fit(checkout: Path) -> None:
    assert_one_sentence(make(checkout, "install", "PYTHON=/bin/false", "ENGINE=cpu"), "/bin/false", "3.11")
    assert not (checkout / ".venv").exists()


def test_no_python_at_all(checkout: Path, tmp_path: Path) -> None:
    tools = tmp_path / "tools"
    tools.mkdir()
    for name in ("bash", "env", "dirname", "cat", "cksum", "make"):
        found = shutil.which(name)
        assert found is not None
        (tools / name).symlink_to(found)
    assert_one_sentence(make(checkout, "install", path=str(tools)), "Python 3.11", "PYTHON=")
    assert not (checkout / ".venv").exists()


def test_an_unknown_engine(checkout: Path) -> None:
    assert_one_sentence(make(checkout, "install", "ENGINE=tpu"), "ENGINE=tpu", "cpu", "gpu")


STAND_IN = """#!/bin/sh
[ "$1 $2" = "-m venv" ] && mkdir -p "$3/bin" && cp "$0" "$3/bin/python"
exit 0
"""
"""An interpreter that succeeds at everything and installs nothing."""


def test_an_installation_ends_with_how_to_go_on(checkout: Path) -> None:
    python = checkout / "python"
    python.write_text(STAND_IN)
    python.chmod(0o755)
    result = make(checkout, "install", f"PYTHON={python}", "ENGINE=cpu")
    assert result.returncode == 0, result.stderr
    assert "source .venv/bin/activate, then rlpt doctor" in result.stdout.splitlines()[-1]
    assert make(checkout, "install", f"PYTHON={python}", "ENGINE=cpu").stdout == ""


def test_bench_without_a_benchmark(checkout: Path) -> None:
    result = subprocess.run(
        [checkout / "launchers/setup/bench.sh"], capture_output=True, text=True, check=False, timeout=60
    )
    assert result.returncode == 0
    assert "no benchmark" in result.stdout
