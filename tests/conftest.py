"""Fixtures that every test folder may use."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO

import pytest

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def root() -> Path:
    """The checkout."""
    return ROOT


@pytest.fixture(scope="session")
def need() -> Callable[[str | None], None]:
    """`need(missing)`: skip the test where `missing` names something; in CI (CI=true) that is a failure instead."""

    def check(missing: str | None) -> None:
        if missing is None:
            return
        if os.environ.get("CI") == "true":
            pytest.fail(f"CI must run this test, but: {missing}", pytrace=False)
        pytest.skip(missing)

    return check


@pytest.fixture
def rlpt(tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """`rlpt("train", "policy=tiny", cwd=..., env={...})`: the command as a process of its own, its output captured.

    It starts in an empty folder, so that run directories land in `tmp_path`; W&B stays offline and silent.
    """

    def run(
        *arguments: str, cwd: Path = tmp_path, env: dict[str, str] | None = None, timeout_s: float = 500
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "rlpt", *arguments],
            cwd=cwd,
            env=os.environ | {"WANDB_MODE": "offline", "WANDB_SILENT": "true"} | (env or {}),
            capture_output=True,
            text=True,
            timeout=timeout_s,
            check=False,
        )

    return run


@pytest.fixture
def on_terminal(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[IO[str]], None]], str]:
    """`on_terminal(write)`: what a terminal of 150 columns receives from `write(stream)`."""
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLUMNS", "150")
    monkeypatch.delenv("NO_COLOR", raising=False)

    def capture(write: Callable[[IO[str]], None]) -> str:
        master, slave = pty.openpty()
        with os.fdopen(master, "rb", buffering=0) as screen, os.fdopen(slave, "w") as terminal:
            write(terminal)
            terminal.write("\0")
            terminal.flush()
            seen = b""
            while not seen.endswith(b"\0"):
                seen += screen.read(100_000)
        return seen.decode()

    return capture


@pytest.fixture
def no_account(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """W&B as it is where nobody has logged in; its process ends with the test."""
    for name in [name for name in os.environ if name.startswith("WANDB_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("NETRC", str(tmp_path / "netrc"))
    yield
    import wandb

    wandb.teardown()
