"""environment.json says which code ran."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from rlpt.run_dir import RunDir
from rlpt.tracking.environment import describe_environment, git_state, read_environment, write_environment


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    folder = tmp_path / "checkout"
    folder.mkdir()
    _git(folder, "init", "-q")
    (folder / "code.py").write_text("x = 1\n")
    _git(folder, "add", "code.py")
    _git(folder, "commit", "-qm", "first")
    return folder


def _git(folder: Path, *arguments: str) -> str:
    who = {
        "GIT_AUTHOR_NAME": "a",
        "GIT_AUTHOR_EMAIL": "a@b.c",
        "GIT_COMMITTER_NAME": "a",
        "GIT_COMMITTER_EMAIL": "a@b.c",
    }
    done = subprocess.run(["git", *arguments], cwd=folder, env={**os.environ, **who}, capture_output=True, check=True)
    return done.stdout.decode().strip()


def test_commit_difference_and_untracked_files_are_recorded(checkout: Path):
    clean = git_state(checkout)
    assert clean is not None
    assert clean["commit"] == _git(checkout, "rev-parse", "HEAD")
    assert clean["dirty"] is False
    (checkout / "code.py").write_text("x = 2\n")
    (checkout / "new.py").write_text("")
    (checkout / "sub").mkdir()
    dirty = git_state(checkout / "sub")
    assert dirty is not None
    assert dirty["dirty"] is True
    assert "-x = 1\n+x = 2" in dirty["diff"]
    assert dirty["untracked"] == ["new.py"]


def test_the_users_diff_programs_do_not_run(checkout: Path, tmp_path: Path):
    trap = tmp_path / "ran"
    _git(checkout, "config", "diff.external", f"touch {trap}")
    (checkout / "code.py").write_text("x = 2\n")
    state = git_state(checkout)
    assert state is not None
    assert "+x = 2" in state["diff"]
    assert not trap.exists()


def test_outside_a_checkout_there_is_none(tmp_path: Path):
    assert git_state(tmp_path) is None


def test_versions_and_fingerprints_are_there(tmp_path: Path):
    description = describe_environment({"arithmetic/test": "abc"}, tmp_path)
    assert description["data"] == {"arithmetic/test": "abc"}
    assert description["packages"]["pytest"] == pytest.__version__
    assert description["git"] is None
    assert description["cores"] >= 1


def test_a_resume_keeps_the_first_description(tmp_path: Path):
    run = RunDir(tmp_path)
    write_environment(run, {"python": "a"})
    write_environment(run, {"python": "b"}, start_step=5)
    write_environment(run, {"python": "c"}, start_step=10)
    write_environment(run, {"python": "d"}, start_step=5)
    assert read_environment(run) == {
        "python": "a",
        "resumes": [{"start_step": 5, "python": "b"}, {"start_step": 5, "python": "d"}],
    }
