"""A real Slurm with two nodes on this machine, brought up once for the tests of this folder."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

SLURM_TOOLS = ("slurmctld", "slurmd", "sbatch", "munged")


@dataclass(frozen=True)
class LocalSlurm:
    """The script `launchers/slurm/local.sh`, bound to a folder of its own."""

    script: Path
    folder: Path

    def __call__(self, verb: str) -> subprocess.CompletedProcess[str]:
        env = os.environ | {"RLPT_SLURM_DIR": str(self.folder)}
        return subprocess.run([self.script, verb], env=env, capture_output=True, text=True, check=False, timeout=90)

    @property
    def env(self) -> Mapping[str, str]:
        """The environment in which Slurm's commands reach this cluster: what `local.sh env` prints, in effect."""
        line = self("env").stdout.strip()
        shown = subprocess.check_output(["bash", "-c", f'{line}; printf "%s\\n" "$SLURM_CONF" "$PATH"'], text=True)
        slurm_conf, path = shown.splitlines()
        return os.environ | {"SLURM_CONF": slurm_conf, "PATH": path}


@pytest.fixture(scope="session")
def new_slurm(root: Path, need: Callable[[str | None], None]) -> Iterator[Callable[[], LocalSlurm]]:
    """`new_slurm()`: a further cluster, not yet up; all are taken down at the end."""
    path = f"{os.environ['PATH']}:/usr/sbin:/sbin"
    missing = [tool for tool in SLURM_TOOLS if shutil.which(tool, path=path) is None]
    if missing:
        need(f"Slurm is not installed ({', '.join(missing)}): apt-get install slurm-wlm munge")
    if os.geteuid() != 0:
        need("a local Slurm needs root")
    made: list[LocalSlurm] = []

    def make() -> LocalSlurm:
        folder = Path(tempfile.mkdtemp(prefix="rlpt-slurm-"))
        made.append(LocalSlurm(root / "launchers/slurm/local.sh", folder))
        return made[-1]

    yield make
    for slurm in made:
        slurm("down")


@pytest.fixture(scope="session")
def slurm(new_slurm: Callable[[], LocalSlurm]) -> LocalSlurm:
    """A cluster that is up."""
    cluster = new_slurm()
    result = cluster("up")
    assert result.returncode == 0, result.stderr
    return cluster


@pytest.fixture
def on_slurm(slurm: LocalSlurm, monkeypatch: pytest.MonkeyPatch) -> LocalSlurm:
    """The cluster, with this process's environment pointing at it (submitit calls sbatch from here)."""
    for name in ("SLURM_CONF", "PATH"):
        monkeypatch.setenv(name, slurm.env[name])
    return slurm
